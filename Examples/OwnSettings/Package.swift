// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "OwnSettings",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "own-settings",
            dependencies: ["WPCommandLine", "WPConfig", "WPCore", "WPSettings"].map {
                .product(name: $0, package: "winpower-exporter")
            },
            path: "Sources/OwnSettings"
        )
    ],
    swiftLanguageModes: [.v6]
)
