// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ReadDevices",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "read-devices",
            dependencies: ["WPClient", "WPCore", "WPHTTP", "WPModel"].map {
                .product(name: $0, package: "winpower-exporter")
            },
            path: "Sources/ReadDevices"
        )
    ],
    swiftLanguageModes: [.v6]
)
