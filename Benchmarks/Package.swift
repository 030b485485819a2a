// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that dependents of the suite do not build benchmarks.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "..")],
    targets: [
        .systemLibrary(name: "CSQLiteLinked", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .executableTarget(
            name: "ClientBenchmark",
            dependencies: [
                .product(name: "WPClient", package: "winpower-exporter"),
                .product(name: "WPHTTP", package: "winpower-exporter"),
                .product(name: "WPModel", package: "winpower-exporter"),
                .product(name: "WPServer", package: "winpower-exporter"),
                .product(name: "WPSimulator", package: "winpower-exporter"),
            ]
        ),
        .executableTarget(
            name: "LoggingBenchmark",
            dependencies: [.product(name: "WPLogging", package: "winpower-exporter")]
        ),
        .executableTarget(
            name: "MetricsBenchmark",
            dependencies: [.product(name: "WPMetrics", package: "winpower-exporter")]
        ),
        .executableTarget(
            name: "StorageBenchmark",
            dependencies: [
                "CSQLiteLinked",
                .product(name: "WPLogging", package: "winpower-exporter"),
                .product(name: "WPModel", package: "winpower-exporter"),
                .product(name: "WPStorage", package: "winpower-exporter"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
