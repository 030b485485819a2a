// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "EmbedExporter",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "embed-exporter",
            dependencies: [
                "WPConfig", "WPCore", "WPExporter", "WPLogging", "WPMetrics", "WPModel", "WPProgram", "WPServer",
                "WPService",
            ].map {
                .product(name: $0, package: "winpower-exporter")
            },
            path: "Sources/EmbedExporter"
        )
    ],
    swiftLanguageModes: [.v6]
)
