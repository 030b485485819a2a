// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "..")],
    targets: [
        .executableTarget(
            name: "MetricsBenchmark",
            dependencies: [.product(name: "WPMetrics", package: "winpower-exporter")]
        )
    ],
    swiftLanguageModes: [.v6]
)
