// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "ScheduleAndLog",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "winpower-exporter", path: "../..")],
    targets: [
        .executableTarget(
            name: "schedule-and-log",
            dependencies: ["WPLogging", "WPScheduler"].map { .product(name: $0, package: "winpower-exporter") },
            path: "Sources/ScheduleAndLog"
        )
    ],
    swiftLanguageModes: [.v6]
)
