// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "MeterEnergy",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "meter-energy",
            dependencies: ["WPEnergy", "WPCore", "WPLogging", "WPModel", "WPStorage"].map {
                .product(name: $0, package: "winpower-exporter")
            },
            path: "Sources/MeterEnergy"
        )
    ],
    swiftLanguageModes: [.v6]
)
