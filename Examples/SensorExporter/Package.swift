// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SensorExporter",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "sensor",
            dependencies: ["WPMetrics", "WPProgram", "WPSettings"].map {
                .product(name: $0, package: "winpower-exporter")
            },
            path: "Sources/SensorExporter"
        )
    ],
    swiftLanguageModes: [.v6]
)
