// swift-tools-version: 6.2
import PackageDescription

// Leaves depend on no other target, modules on leaves, compositions on modules, and the executable on all of them.
// Every edge is written here; CI builds with --explicit-target-dependency-import-check error.
let package = Package(
    name: "winpower-exporter",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "WPCore", targets: ["WPCore"]),
        .library(name: "WPModel", targets: ["WPModel"]),
        .library(name: "WPLogging", targets: ["WPLogging"]),
        .library(name: "WPMetrics", targets: ["WPMetrics"]),
        .library(name: "WPSockets", targets: ["WPSockets"]),
        .library(name: "WPHTTP", targets: ["WPHTTP"]),
        .library(name: "WPYAML", targets: ["WPYAML"]),
        .library(name: "WPCommandLine", targets: ["WPCommandLine"]),
        .library(name: "WPSettings", targets: ["WPSettings"]),
        .library(name: "WPClient", targets: ["WPClient"]),
        .library(name: "WPStorage", targets: ["WPStorage"]),
        .library(name: "WPEnergy", targets: ["WPEnergy"]),
        .library(name: "WPCollector", targets: ["WPCollector"]),
        .library(name: "WPScheduler", targets: ["WPScheduler"]),
        .library(name: "WPServer", targets: ["WPServer"]),
        .library(name: "WPMetricsHTTP", targets: ["WPMetricsHTTP"]),
        .library(name: "WPService", targets: ["WPService"]),
        .library(name: "WPNUT", targets: ["WPNUT"]),
        .library(name: "WPPushgateway", targets: ["WPPushgateway"]),
        .library(name: "WPHistory", targets: ["WPHistory"]),
        .library(name: "WPHost", targets: ["WPHost"]),
        .library(name: "WPFleet", targets: ["WPFleet"]),
        .library(name: "WPSimulator", targets: ["WPSimulator"]),
        .library(name: "WPTestKit", targets: ["WPTestKit"]),
        .library(name: "WPProgram", targets: ["WPProgram"]),
        .library(name: "WPContracts", targets: ["WPContracts"]),
        .library(name: "WPConfig", targets: ["WPConfig"]),
        .library(name: "WPExporter", targets: ["WPExporter"]),
        .library(name: "WPHub", targets: ["WPHub"]),
        .library(name: "WPNode", targets: ["WPNode"]),
        .executable(name: "wpexporter", targets: ["wpexporter"]),
    ],
    targets: [
        // System C libraries.
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CLinux"),
        // Header only: the library is loaded when a history is opened.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // The crypt(3) of macOS supports no modern hash.
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),

        // Header only: the library is loaded on first use.
        .systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

        // The revision of the build: WP_REVISION, set by scripts/build-release.
        .target(
            name: "CBuildInfo",
            cSettings: [.define("WP_REVISION", to: "\"\(Context.environment["WP_REVISION"] ?? "unknown")\"")]
        ),

        // The files of the web page and the API description, embedded by the C compiler (clang 19 or later).
        .target(name: "CPageAssets"),

        // Leaves.
        .target(
            name: "WPCore",
            dependencies: [.target(name: "CLinux", condition: .when(platforms: [.linux]))]
        ),
        .target(name: "WPModel", dependencies: ["WPCore"]),
        .target(name: "WPGzip", dependencies: ["CZlib"]),
        .target(name: "WPLogging", dependencies: ["WPCore", "WPGzip"]),
        .target(name: "WPMetrics", dependencies: ["WPCore"]),
        .target(
            name: "WPSockets",
            dependencies: [.target(name: "CLinux", condition: .when(platforms: [.linux])), "WPCore"]
        ),
        .target(name: "WPHTTP", dependencies: ["COpenSSL", "WPCore", "WPGzip", "WPSockets"]),
        .target(name: "WPTerminal", dependencies: ["WPCore"]),
        .target(name: "WPYAML"),
        .target(name: "WPCommandLine"),

        // Modules.
        .target(name: "WPSettings", dependencies: ["WPCommandLine", "WPCore", "WPYAML"]),
        .target(name: "WPClient", dependencies: ["WPCore", "WPHTTP", "WPLogging", "WPModel"]),
        .target(name: "WPStorage", dependencies: ["CZlib", "WPCore", "WPLogging", "WPModel"]),
        .target(
            name: "WPHistory",
            dependencies: ["CSQLite", "WPCore", "WPLogging", "WPModel", "WPPostgres", "WPScheduler"]
        ),
        .target(name: "WPEnergy", dependencies: ["WPCore", "WPLogging", "WPModel"]),
        .target(name: "WPCollector", dependencies: ["WPCore", "WPLogging", "WPMetrics", "WPModel"]),
        .target(name: "WPScheduler", dependencies: ["WPCore", "WPLogging"]),
        .target(
            name: "WPServer",
            dependencies: [
                .target(name: "CCrypt", condition: .when(platforms: [.linux])),
                .target(name: "CLinux", condition: .when(platforms: [.linux])), "COpenSSL", "WPCore", "WPHTTP",
                "WPLogging", "WPSockets",
            ]
        ),
        .target(
            name: "WPMetricsHTTP",
            dependencies: ["WPCore", "WPGzip", "WPHTTP", "WPLogging", "WPMetrics", "WPServer"]
        ),
        .target(
            name: "WPService",
            dependencies: [
                .target(name: "CLinux", condition: .when(platforms: [.linux])), "WPCore", "WPLogging", "WPScheduler",
            ]
        ),
        .target(
            name: "WPNUT",
            dependencies: ["WPCore", "WPLogging", "WPModel", "WPScheduler", "WPServer", "WPSockets"]
        ),
        .target(name: "WPPushgateway", dependencies: ["WPCore", "WPGzip", "WPHTTP", "WPMetrics", "WPScheduler"]),
        .target(name: "WPPostgres", dependencies: ["CPostgres", "WPCore", "WPLogging", "WPSockets"]),
        .target(
            name: "WPHost",
            dependencies: [
                .target(name: "CLinux", condition: .when(platforms: [.linux])), "WPCore", "WPMetrics", "WPScheduler",
            ]
        ),
        .target(
            name: "WPFleet",
            dependencies: [
                "CPageAssets", "WPCore", "WPGzip", "WPHTTP", "WPHistory", "WPHost", "WPLogging", "WPMetrics", "WPModel",
                "WPServer",
            ],
            exclude: ["API/openapi.json", "Page/assets"]
        ),
        .target(name: "WPHubClient", dependencies: ["WPCore", "WPHTTP", "WPLogging", "WPMetrics"]),
        .target(
            name: "WPSimulator",
            dependencies: ["COpenSSL", "WPCore", "WPGzip", "WPHTTP", "WPLogging", "WPModel", "WPServer", "WPSockets"]
        ),
        .target(name: "WPContracts", dependencies: ["WPCore", "WPHistory", "WPModel", "WPNUT"]),
        .target(
            name: "WPTestKit",
            dependencies: ["WPClient", "WPCore", "WPHTTP", "WPLogging", "WPMetrics", "WPModel", "WPSockets"]
        ),

        // Program.
        .target(
            name: "WPProgram",
            dependencies: [
                "CBuildInfo", "WPCommandLine", "WPCore", "WPHTTP", "WPLogging", "WPMetrics", "WPMetricsHTTP",
                "WPScheduler", "WPServer",
                "WPService", "WPSettings", "WPSockets", "WPTerminal", "WPYAML",
            ]
        ),

        // Compositions.
        .target(
            name: "WPConfig",
            dependencies: ["WPCommandLine", "WPCore", "WPLogging", "WPProgram", "WPSettings"]
        ),
        .target(
            name: "WPExporter",
            dependencies: [
                "WPClient", "WPCollector", "WPCommandLine", "WPConfig", "WPCore", "WPEnergy", "WPFleet", "WPHTTP",
                "WPHistory", "WPHubClient", "WPLogging", "WPMetrics", "WPModel", "WPNUT", "WPProgram",
                "WPScheduler", "WPServer", "WPService", "WPSettings", "WPSockets", "WPStorage", "WPTerminal",
            ]
        ),
        .target(
            name: "WPHub",
            dependencies: [
                "WPCommandLine", "WPConfig", "WPCore", "WPFleet", "WPHTTP", "WPHistory", "WPHost", "WPLogging",
                "WPMetrics", "WPModel", "WPProgram", "WPServer", "WPService", "WPSettings",
            ]
        ),
        .target(
            name: "WPSQL",
            dependencies: [
                "WPCommandLine", "WPCore", "WPHTTP", "WPLogging", "WPMetrics", "WPMetricsHTTP", "WPPostgres",
                "WPProgram", "WPScheduler", "WPServer", "WPService", "WPSettings", "WPYAML",
            ]
        ),
        .target(
            name: "WPNode",
            dependencies: [
                "WPCommandLine", "WPCore", "WPHTTP", "WPHost", "WPHubClient", "WPLogging", "WPMetrics",
                "WPMetricsHTTP", "WPProgram", "WPScheduler", "WPServer", "WPService", "WPSettings",
                "WPTerminal", "WPYAML",
            ]
        ),

        // Executable.
        .executableTarget(
            name: "wpexporter",
            dependencies: [
                "WPCollector", "WPCommandLine", "WPConfig", "WPCore", "WPExporter", "WPFleet", "WPHTTP", "WPHistory",
                "WPHost", "WPHub", "WPLogging", "WPModel", "WPNode", "WPProgram", "WPSQL", "WPServer", "WPService",
                "WPSettings",
                "WPSimulator", "WPTerminal",
            ]
        ),

        // Tests.
        .target(name: "Fixtures", dependencies: ["WPMetrics", "WPTestSupport"], path: "Tests/Fixtures"),
        .target(name: "WPTestSupport", path: "Tests/WPTestSupport"),
        .target(name: "SettingsFakes", dependencies: ["WPConfig", "WPSettings"], path: "Tests/SettingsFakes"),
        .executableTarget(
            name: "wp-exposition-generator",
            dependencies: ["Fixtures", "WPMetrics", "WPTestKit", "WPTestSupport"],
            path: "Tests/ExpositionGenerator"
        ),
        .executableTarget(
            name: "wp-push-probe",
            dependencies: ["WPMetrics", "WPPushgateway"],
            path: "Tests/PushProbe"
        ),
        .executableTarget(
            name: "wp-host-probe",
            dependencies: ["Fixtures", "WPHost", "WPMetrics"],
            path: "Tests/HostProbe"
        ),
        .executableTarget(
            name: "wp-client-soak",
            dependencies: ["WPClient", "WPCore", "WPHTTP", "WPModel", "WPSimulator", "WPTestKit", "WPTestSupport"],
            path: "Tests/ClientSoak"
        ),
        .executableTarget(
            name: "wp-storage-torture",
            dependencies: ["WPHistory", "WPLogging", "WPModel", "WPStorage"],
            path: "Tests/StorageTorture"
        ),
        .testTarget(
            name: "WPClientTests",
            dependencies: [
                "WPClient", "WPContracts", "WPCore", "WPGzip", "WPHTTP", "WPLogging", "WPModel", "WPSimulator",
                "WPTestKit",
                "WPTestSupport", "wp-client-soak",
            ]
        ),
        .testTarget(
            name: "WPCollectorTests",
            dependencies: ["WPCollector", "WPCore", "WPLogging", "WPMetrics", "WPModel", "WPTestKit"]
        ),
        .testTarget(name: "WPCommandLineTests", dependencies: ["WPCommandLine"]),
        .testTarget(
            name: "WPConfigTests",
            dependencies: [
                "SettingsFakes", "WPCommandLine", "WPConfig", "WPCore", "WPLogging", "WPProgram", "WPSettings",
            ]
        ),
        .testTarget(
            name: "WPContractsTests",
            dependencies: ["WPContracts", "WPCore", "WPHistory", "WPModel", "WPNUT", "WPTestKit"]
        ),
        .testTarget(name: "WPCoreTests", dependencies: ["WPCore", "WPTestKit"]),
        .testTarget(
            name: "WPEnergyTests",
            dependencies: ["WPCore", "WPEnergy", "WPLogging", "WPModel", "WPTestKit", "WPTestSupport"]
        ),
        .testTarget(
            name: "WPExporterTests",
            dependencies: [
                "WPClient", "WPCollector", "WPCommandLine", "WPConfig", "WPContracts", "WPCore", "WPEnergy",
                "WPExporter", "WPFleet", "WPGzip", "WPHTTP", "WPHistory", "WPHub", "WPLogging", "WPMetrics", "WPModel",
                "WPNUT", "WPProgram", "WPScheduler", "WPServer", "WPService", "WPSettings", "WPSimulator", "WPStorage",
                "WPTerminal", "WPTestKit", "wpexporter",
            ],
            exclude: ["Terminal/Snapshots"]
        ),
        .testTarget(
            name: "WPFleetTests",
            dependencies: [
                "WPCore", "WPFleet", "WPGzip", "WPHTTP", "WPHistory", "WPHost", "WPLogging", "WPMetrics", "WPModel",
                "WPServer", "WPTestKit",
            ]
        ),
        .testTarget(name: "WPGzipTests", dependencies: ["WPGzip"]),
        .testTarget(
            name: "WPHTTPTests",
            dependencies: ["WPGzip", "WPHTTP", "WPSockets", "WPTestKit", "WPTestSupport"]
        ),
        .testTarget(
            name: "WPHistoryTests",
            dependencies: [
                "WPContracts", "WPCore", "WPHistory", "WPLogging", "WPPostgres", "WPTestKit",
                "WPTestSupport", "wp-storage-torture",
            ]
        ),
        .testTarget(
            name: "WPHostTests",
            dependencies: ["Fixtures", "WPCore", "WPHost", "WPMetrics", "WPTestKit"],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "WPHubClientTests",
            dependencies: ["WPCore", "WPHTTP", "WPHubClient", "WPLogging", "WPMetrics", "WPTestKit"]
        ),
        .testTarget(
            name: "WPHubTests",
            dependencies: [
                "WPConfig", "WPCore", "WPFleet", "WPHTTP", "WPHistory", "WPHub", "WPLogging", "WPMetrics", "WPModel",
                "WPProgram", "WPServer", "WPSettings", "WPTestKit",
            ]
        ),
        .testTarget(name: "WPLoggingTests", dependencies: ["WPGzip", "WPLogging", "WPTestKit", "WPTestSupport"]),
        .testTarget(
            name: "WPMetricsHTTPTests",
            dependencies: [
                "WPGzip", "WPHTTP", "WPLogging", "WPMetrics", "WPMetricsHTTP", "WPServer", "WPTestKit",
                "WPTestSupport",
            ]
        ),
        .testTarget(
            name: "WPMetricsTests",
            dependencies: ["Fixtures", "WPCore", "WPMetrics", "WPTestKit", "WPTestSupport"]
        ),
        .testTarget(name: "WPModelTests", dependencies: ["WPCore", "WPModel", "WPTestKit"]),
        .testTarget(
            name: "WPNUTTests",
            dependencies: ["WPCore", "WPLogging", "WPModel", "WPNUT", "WPServer", "WPSockets", "WPTestKit"]
        ),
        .testTarget(
            name: "WPNodeTests",
            dependencies: [
                "Fixtures", "WPCommandLine", "WPConfig", "WPCore", "WPExporter", "WPHTTP", "WPHost", "WPHubClient",
                "WPLogging", "WPMetrics", "WPNode", "WPProgram", "WPServer", "WPSettings", "WPTerminal",
                "WPTestKit",
            ]
        ),
        .testTarget(name: "WPPostgresTests", dependencies: ["WPCore", "WPLogging", "WPPostgres", "WPTestKit"]),
        .testTarget(
            name: "WPProgramTests",
            dependencies: [
                "WPCommandLine", "WPCore", "WPHTTP", "WPLogging", "WPMetrics", "WPProgram", "WPServer", "WPSettings",
                "WPSimulator", "WPTestKit",
            ]
        ),
        .testTarget(
            name: "WPPushgatewayTests",
            dependencies: ["WPGzip", "WPHTTP", "WPMetrics", "WPPushgateway", "WPTestKit"]
        ),
        .testTarget(
            name: "WPSQLTests",
            dependencies: [
                "WPConfig", "WPCore", "WPLogging", "WPMetrics", "WPPostgres", "WPProgram", "WPSQL",
                "WPSettings",
                "WPTestKit",
            ]
        ),
        .testTarget(name: "WPSchedulerTests", dependencies: ["WPCore", "WPLogging", "WPScheduler", "WPTestKit"]),
        .testTarget(
            name: "WPServerTests",
            dependencies: ["WPCore", "WPHTTP", "WPLogging", "WPServer", "WPSockets", "WPTestKit"]
        ),
        .testTarget(name: "WPServiceTests", dependencies: ["WPLogging", "WPService", "WPTestKit"]),
        .testTarget(
            name: "WPSettingsTests",
            dependencies: [
                "SettingsFakes", "WPCommandLine", "WPConfig", "WPCore", "WPProgram", "WPSettings", "WPTestKit",
                "WPYAML",
            ]
        ),
        .testTarget(
            name: "WPSimulatorTests",
            dependencies: [
                "WPCore", "WPGzip", "WPHTTP", "WPModel", "WPServer", "WPSimulator", "WPSockets", "WPTestKit",
                "WPTestSupport",
            ]
        ),
        .testTarget(name: "WPSocketsTests", dependencies: ["WPSockets"]),
        .testTarget(
            name: "WPStorageTests",
            dependencies: [
                "WPContracts", "WPLogging", "WPModel", "WPStorage", "WPTestKit", "WPTestSupport", "wp-storage-torture",
            ]
        ),
        .testTarget(name: "WPTerminalTests", dependencies: ["WPCore", "WPTerminal", "WPTestKit"]),
        .testTarget(
            name: "WPTestKitTests",
            dependencies: [
                "WPClient", "WPCore", "WPHTTP", "WPLogging", "WPMetrics", "WPModel", "WPSimulator", "WPTestKit",
            ]
        ),
        .testTarget(name: "WPYAMLTests", dependencies: ["WPTestKit", "WPTestSupport", "WPYAML"]),
    ],
    swiftLanguageModes: [.v6]
)

// Fuzz targets need a separate instrumented build, which Fuzz/run creates.
if Context.environment["WP_FUZZ"] != nil {
    package.targets += [
        .executableTarget(name: "FuzzReply", dependencies: ["WPClient", "WPCore", "WPModel"], path: "Fuzz/Reply"),
        .executableTarget(name: "FuzzRequest", dependencies: ["WPHTTP", "WPServer"], path: "Fuzz/Request"),
        .executableTarget(name: "FuzzResponse", dependencies: ["WPHTTP"], path: "Fuzz/Response"),
        .executableTarget(name: "FuzzNUT", dependencies: ["WPCore", "WPModel", "WPNUT"], path: "Fuzz/NUT"),
        .executableTarget(name: "FuzzInflate", dependencies: ["WPGzip"], path: "Fuzz/Inflate"),
        .executableTarget(
            name: "FuzzHost",
            dependencies: ["WPCore", "WPHost", "WPMetrics", "WPModel"],
            path: "Fuzz/Host"
        ),
        .executableTarget(
            name: "FuzzReport",
            dependencies: ["WPCore", "WPFleet", "WPHTTP", "WPHistory", "WPLogging", "WPServer"],
            path: "Fuzz/Report"
        ),
    ]
}

// ThreadSanitizer does not see locks inside Swift's runtime, so the builds of scripts/sanitize report
// them. Both targets below Tests/Sanitizer exist only in these builds.
if Context.environment["WP_THREAD_SANITIZER"] != nil {
    package.targets.append(.executableTarget(name: "wp-race-probe", path: "Tests/Sanitizer/RaceProbe"))
    for target in package.targets where target.type == .test || target.type == .executable {
        target.dependencies.append("MutexEvents")
    }
    package.targets.append(.target(name: "MutexEvents", path: "Tests/Sanitizer/MutexEvents"))
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// WP_ONLY="WPEnergyTests WPHTTPTests" keeps only these targets and their dependencies, to build and test a change
// without the rest.
if let only = Context.environment["WP_ONLY"], !only.isEmpty {
    var wanted = Set<String>()
    var pending = only.split(separator: " ").map(String.init)
    while let name = pending.popLast() {
        guard wanted.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("WP_ONLY names a target that does not exist: \(name)")
        }
        pending += target.dependencies.compactMap { dependency in
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products = []
}
