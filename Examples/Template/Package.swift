// swift-tools-version: 6.2
import PackageDescription

// Copy this directory and rename "my-exporter".
let package = Package(
    name: "my-exporter",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/example/winpower-exporter.git", from: "0.1.0")
    ],
    targets: [
        .executableTarget(
            name: "my-exporter",
            dependencies: [
                .product(name: "WPMetrics", package: "winpower-exporter"),
                .product(name: "WPMetricsHTTP", package: "winpower-exporter"),
                .product(name: "WPServer", package: "winpower-exporter"),
                .product(name: "WPService", package: "winpower-exporter"),
            ],
            path: "Sources/Exporter"
        )
    ],
    swiftLanguageModes: [.v6]
)
