// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "GatewaySimulator",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "gateway-simulator",
            dependencies: ["WPMetrics", "WPMetricsHTTP", "WPServer", "WPService"].map {
                .product(name: $0, package: "winpower-exporter")
            },
            path: "Sources/GatewaySimulator"
        )
    ],
    swiftLanguageModes: [.v6]
)
