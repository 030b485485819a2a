// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "NodeExample",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "node-example",
            dependencies: ["WPMetrics", "WPMetricsHTTP", "WPPushgateway", "WPServer", "WPService"].map {
                .product(name: $0, package: "winpower-exporter")
            },
            path: "Sources/NodeExample"
        )
    ],
    swiftLanguageModes: [.v6]
)
