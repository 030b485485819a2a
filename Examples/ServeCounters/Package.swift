// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ServeCounters",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "serve-counters",
            dependencies: ["WPMetrics", "WPMetricsHTTP", "WPServer", "WPService"].map {
                .product(name: $0, package: "winpower-exporter")
            },
            path: "Sources/ServeCounters"
        )
    ],
    swiftLanguageModes: [.v6]
)
