// swift-tools-version: 6.2
import PackageDescription

// Leaves depend on no other target, modules on leaves, compositions on modules, and the executable on all of them.
// Every edge is written here; CI builds with --explicit-target-dependency-import-check error.
let package = Package(
    name: "winpower-exporter",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "WPModel", targets: ["WPModel"]),
        .library(name: "WPLogging", targets: ["WPLogging"]),
        .library(name: "WPMetrics", targets: ["WPMetrics"]),
        .library(name: "WPMetricsTesting", targets: ["WPMetricsTesting"]),
        .library(name: "WPSockets", targets: ["WPSockets"]),
        .library(name: "WPHTTP", targets: ["WPHTTP"]),
        .library(name: "WPPushgateway", targets: ["WPPushgateway"]),
        .library(name: "WPYAML", targets: ["WPYAML"]),
        .library(name: "WPCommandLine", targets: ["WPCommandLine"]),
        .library(name: "WPConfig", targets: ["WPConfig"]),
        .library(name: "WPClient", targets: ["WPClient"]),
        .library(name: "WPStorage", targets: ["WPStorage"]),
        .library(name: "WPEnergy", targets: ["WPEnergy"]),
        .library(name: "WPCollector", targets: ["WPCollector"]),
        .library(name: "WPScheduler", targets: ["WPScheduler"]),
        .library(name: "WPNUT", targets: ["WPNUT"]),
        .library(name: "WPServer", targets: ["WPServer"]),
        .library(name: "WPMetricsHTTP", targets: ["WPMetricsHTTP"]),
        .library(name: "WPService", targets: ["WPService"]),
        .library(name: "WPExporter", targets: ["WPExporter"]),
        .library(name: "WPHost", targets: ["WPHost"]),
        .library(name: "WPNode", targets: ["WPNode"]),
        .library(name: "WPNodeAgent", targets: ["WPNodeAgent"]),
        .library(name: "WPTestKit", targets: ["WPTestKit", "WPCertificates"]),
        .library(name: "WPSimulator", targets: ["WPSimulator", "WPCertificates"]),
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
        // Types only: the library is loaded when a history is opened.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // The crypt(3) of macOS supports none of today's methods.
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),

        // Its header alone: the library is loaded where it is used, so that nothing else pays for it.
        .systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

        // The revision that is being built: WP_REVISION, as scripts/build-release sets it.
        .target(
            name: "CBuildInfo",
            cSettings: [.define("WP_REVISION", to: "\"\(Context.environment["WP_REVISION"] ?? "unknown")\"")]
        ),

        // Leaves.
        .target(name: "WPText"),
        .target(name: "WPModel", dependencies: ["WPText"]),
        .target(name: "WPGzip", dependencies: ["CZlib"]),
        .target(
            name: "WPPassword",
            dependencies: ["COpenSSL", .target(name: "CCrypt", condition: .when(platforms: [.linux]))]
        ),
        .target(name: "WPLogging", dependencies: ["WPGzip", "WPText"]),
        .target(name: "WPMetrics"),
        .target(
            name: "WPSockets",
            dependencies: [.target(name: "CLinux", condition: .when(platforms: [.linux]))]
        ),
        .target(name: "WPHTTP", dependencies: ["COpenSSL", "WPGzip", "WPText", "WPSockets"]),
        .target(name: "WPTerminal"),
        .target(name: "WPYAML"),
        .target(
            name: "WPHost",
            dependencies: ["WPText", .target(name: "CLinux", condition: .when(platforms: [.linux]))]
        ),
        .target(name: "WPCommandLine"),

        // Modules.
        .target(name: "WPMetricsTesting", dependencies: ["WPMetrics"]),
        .target(name: "WPPushgateway", dependencies: ["WPMetrics", "WPHTTP", "WPGzip", "WPText"]),
        .target(name: "WPConfig", dependencies: ["WPModel", "WPYAML", "WPCommandLine"]),
        .target(name: "WPClient", dependencies: ["WPModel", "WPLogging", "WPHTTP"]),
        .target(name: "WPStorage", dependencies: ["WPModel", "WPText", "WPLogging", "CZlib"]),
        .target(name: "WPHistory", dependencies: ["CSQLite", "WPModel", "WPLogging", "WPPostgres"]),
        .target(name: "WPEnergy", dependencies: ["WPModel", "WPLogging"]),
        .target(name: "WPCollector", dependencies: ["WPModel", "WPLogging", "WPMetrics"]),
        .target(name: "WPScheduler", dependencies: ["WPLogging"]),
        .target(name: "WPDashboard", dependencies: ["WPModel", "WPText", "WPLogging", "WPTerminal"]),
        .target(
            name: "WPServer",
            dependencies: [
                "WPLogging", "WPHTTP", "WPText", "WPSockets",
                .target(name: "CLinux", condition: .when(platforms: [.linux])),
            ]
        ),
        .target(
            name: "WPNUT",
            dependencies: ["WPModel", "WPLogging", "WPPassword", "WPSockets", "WPServer"]
        ),
        // For tests, of this package and of others.
        .target(name: "WPCertificates", dependencies: ["COpenSSL", "WPModel", "WPHTTP"]),
        .target(
            name: "WPSimulator",
            dependencies: ["WPModel", "WPGzip", "WPText", "WPLogging", "WPSockets", "WPHTTP", "WPServer"]
        ),
        .target(name: "WPNode", dependencies: ["WPHost", "WPMetrics"]),
        .target(
            name: "WPQueries",
            dependencies: ["WPPostgres", "WPModel", "WPText", "WPLogging", "WPMetrics", "WPYAML", "WPCommandLine"]
        ),
        .target(name: "WPPostgres", dependencies: ["CPostgres", "WPModel", "WPText", "WPLogging", "WPSockets"]),
        .target(name: "WPTestKit", dependencies: ["WPModel", "WPLogging", "WPSockets", "WPHTTP", "WPClient"]),

        .target(
            name: "WPPages",
            dependencies: ["WPHTTP", "WPServer", "WPGzip"],
            resources: [.embedInCode("assets")]
        ),
        .target(
            name: "WPMetricsHTTP",
            dependencies: ["WPMetrics", "WPHTTP", "WPServer", "WPGzip", "WPLogging", "WPText"]
        ),
        .target(
            name: "WPService",
            dependencies: ["WPLogging", .target(name: "CLinux", condition: .when(platforms: [.linux]))]
        ),

        .target(
            name: "WPFleet",
            dependencies: [
                "WPModel", "WPLogging", "WPText", "WPGzip", "WPHTTP", "WPServer", "WPHistory", "WPHost",
            ]
        ),

        .target(name: "WPHubClient", dependencies: ["WPModel", "WPLogging", "WPMetrics", "WPHTTP"]),

        // Compositions.
        // The running exporter as a library.
        .target(
            name: "WPExporter",
            dependencies: [
                "WPModel", "WPLogging", "WPMetrics", "WPSockets", "WPHTTP", "WPConfig", "WPClient", "WPStorage",
                "WPEnergy",
                "WPCollector", "WPScheduler", "WPServer", "WPMetricsHTTP", "WPService", "WPPassword", "WPTerminal",
                "WPDashboard", "WPText", "WPYAML", "WPHistory", "WPFleet", "WPHubClient", "WPPages", "WPNUT",
                "CBuildInfo",
            ]
        ),

        // The hub, which keeps the history of many exporters and nodes.
        .target(
            name: "WPHub",
            dependencies: [
                "WPModel", "WPText", "WPLogging", "WPMetrics", "WPHTTP", "WPConfig", "WPServer", "WPMetricsHTTP",
                "WPHistory", "WPFleet", "WPHost", "WPPages", "WPPassword", "WPExporter",
            ]
        ),

        // The SQL exporter.
        .target(
            name: "WPSQL",
            dependencies: [
                "WPModel", "WPLogging", "WPMetrics", "WPHTTP", "WPConfig", "WPServer", "WPMetricsHTTP", "WPService",
                "WPPassword", "WPExporter", "WPPostgres", "WPQueries",
            ]
        ),

        // The agent of a node as a library.
        .target(
            name: "WPNodeAgent",
            dependencies: [
                "WPModel", "WPText", "WPLogging", "WPMetrics", "WPHTTP", "WPSockets", "WPTerminal", "WPCommandLine",
                "WPYAML",
                "WPHost", "WPConfig", "WPServer", "WPMetricsHTTP", "WPService", "WPPassword", "WPHubClient",
                "WPExporter",
                "WPNode",
            ]
        ),

        // The exporter against a simulated server.
        .target(
            name: "WPDemo",
            dependencies: [
                "WPModel", "WPLogging", "WPTerminal", "WPCommandLine", "WPConfig", "WPHistory", "WPCollector",
                "WPServer", "WPSimulator", "WPExporter",
            ]
        ),

        // Executable.
        .executableTarget(
            name: "wpexporter",
            dependencies: [
                "WPModel", "WPText", "WPLogging", "WPSockets", "WPHTTP", "WPCommandLine", "WPConfig", "WPServer",
                "WPSimulator", "WPCertificates", "WPTerminal", "WPDashboard", "WPService", "WPExporter", "WPNodeAgent",
                "WPSQL",
                "WPHistory", "WPFleet", "WPHub", "WPDemo",
            ]
        ),

        // Tests.
        .target(name: "WPTestSupport", path: "Tests/WPTestSupport"),
        .testTarget(name: "WPModelTests", dependencies: ["WPModel", "WPTestKit"]),
        .testTarget(name: "WPTextTests", dependencies: ["WPText"]),
        .testTarget(name: "WPGzipTests", dependencies: ["WPGzip"]),
        .testTarget(name: "WPPagesTests", dependencies: ["WPPages", "WPGzip", "WPHTTP", "WPServer"]),
        .testTarget(name: "WPPasswordTests", dependencies: ["WPPassword"]),
        .testTarget(name: "WPLoggingTests", dependencies: ["WPLogging", "WPGzip", "WPTestKit", "WPTestSupport"]),
        .testTarget(
            name: "WPMetricsTests",
            dependencies: ["WPMetrics", "ArbitraryMetrics", "WPTestKit", "WPTestSupport"]
        ),
        .target(
            name: "ArbitraryMetrics",
            dependencies: ["WPMetrics", "WPTestSupport"],
            path: "Tests/ArbitraryMetrics"
        ),
        .executableTarget(
            name: "wp-exposition-generator",
            dependencies: ["WPMetrics", "ArbitraryMetrics", "WPTestKit", "WPTestSupport"],
            path: "Tests/ExpositionGenerator"
        ),
        .testTarget(name: "WPMetricsTestingTests", dependencies: ["WPMetricsTesting", "WPMetrics"]),
        .executableTarget(
            name: "wp-push-probe",
            dependencies: ["WPMetrics", "WPPushgateway"],
            path: "Tests/PushProbe"
        ),
        .testTarget(
            name: "WPPushgatewayTests",
            dependencies: ["WPPushgateway", "WPMetrics", "WPHTTP", "WPGzip", "WPTestKit"]
        ),
        .testTarget(name: "WPSocketsTests", dependencies: ["WPSockets"]),
        .testTarget(
            name: "WPHTTPTests",
            dependencies: ["WPSockets", "WPHTTP", "WPGzip", "WPTestKit", "WPTestSupport"]
        ),
        .target(name: "HostFixtures", path: "Tests/HostFixtures"),
        .executableTarget(
            name: "wp-host-probe",
            dependencies: ["WPHost", "WPMetrics", "WPNode", "HostFixtures"],
            path: "Tests/HostProbe"
        ),
        .testTarget(name: "WPHostTests", dependencies: ["WPHost", "HostFixtures", "WPTestKit"]),
        .testTarget(
            name: "WPNodeTests",
            dependencies: ["WPNode", "WPHost", "WPMetrics", "HostFixtures", "WPTestKit"],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "WPQueriesTests",
            dependencies: ["WPQueries", "WPPostgres", "WPModel", "WPLogging", "WPMetrics", "WPTestKit", "WPText"]
        ),
        .testTarget(
            name: "WPHubClientTests",
            dependencies: ["WPHubClient", "WPHTTP", "WPMetrics", "WPModel", "WPTestKit"]
        ),
        .testTarget(
            name: "WPNodeAgentTests",
            dependencies: [
                "WPNodeAgent", "WPConfig", "WPExporter", "WPHost", "WPHTTP", "WPHubClient", "WPLogging", "WPMetrics",
                "WPModel", "WPServer", "WPTerminal", "HostFixtures", "WPTestKit",
            ]
        ),
        .testTarget(
            name: "WPSQLTests",
            dependencies: ["WPSQL", "WPModel", "WPConfig", "WPLogging", "WPQueries", "WPTestKit"]
        ),
        .testTarget(name: "WPPostgresTests", dependencies: ["WPPostgres", "WPModel", "WPLogging", "WPTestKit"]),
        .testTarget(name: "WPTerminalTests", dependencies: ["WPTerminal"]),
        .testTarget(
            name: "WPDashboardTests",
            dependencies: ["WPDashboard", "WPModel", "WPTerminal", "WPTestKit"],
            exclude: ["Snapshots"]
        ),
        .testTarget(name: "WPYAMLTests", dependencies: ["WPYAML", "WPTestKit", "WPTestSupport"]),
        .testTarget(name: "WPCommandLineTests", dependencies: ["WPCommandLine"]),
        .testTarget(
            name: "WPConfigTests",
            dependencies: ["WPConfig", "WPCommandLine", "WPYAML", "WPModel", "WPTestKit"]
        ),
        .testTarget(
            name: "WPClientTests",
            dependencies: [
                "WPClient", "WPModel", "WPLogging", "WPGzip", "WPHTTP", "WPSimulator", "WPCertificates", "WPTestKit",
                "WPTestSupport",
                "wp-client-soak",
            ]
        ),
        .executableTarget(
            name: "wp-client-soak",
            dependencies: [
                "WPClient", "WPModel", "WPHTTP", "WPSimulator", "WPCertificates", "WPTestKit", "WPTestSupport",
            ],
            path: "Tests/ClientSoak"
        ),
        .executableTarget(
            name: "wp-storage-torture",
            dependencies: ["WPStorage", "WPHistory", "WPModel", "WPLogging"],
            path: "Tests/StorageTorture"
        ),
        .testTarget(
            name: "WPStorageTests",
            dependencies: [
                "WPStorage", "WPModel", "WPLogging", "WPTestKit", "WPTestSupport", "wp-storage-torture",
            ]
        ),
        .testTarget(
            name: "WPFleetTests",
            dependencies: [
                "WPFleet", "WPHistory", "WPModel", "WPText", "WPLogging", "WPHTTP", "WPGzip", "WPTestKit",
            ]
        ),
        .testTarget(
            name: "WPHistoryTests",
            dependencies: [
                "WPHistory", "WPModel", "WPLogging", "WPPostgres", "WPTestKit", "WPTestSupport", "wp-storage-torture",
            ]
        ),
        .testTarget(
            name: "WPEnergyTests",
            dependencies: ["WPEnergy", "WPModel", "WPLogging", "WPTestKit", "WPTestSupport"]
        ),
        .testTarget(
            name: "WPCollectorTests",
            dependencies: ["WPCollector", "WPModel", "WPLogging", "WPMetrics", "WPTestKit"]
        ),
        .testTarget(
            name: "WPSchedulerTests",
            dependencies: ["WPScheduler", "WPLogging", "WPTestKit"]
        ),
        .testTarget(
            name: "WPServerTests",
            dependencies: ["WPServer", "WPSockets", "WPHTTP", "WPLogging", "WPTestKit"]
        ),
        .testTarget(
            name: "WPNUTTests",
            dependencies: ["WPNUT", "WPModel", "WPLogging", "WPPassword", "WPSockets", "WPTestKit"]
        ),
        .testTarget(
            name: "WPSimulatorTests",
            dependencies: [
                "WPSimulator", "WPCertificates", "WPModel", "WPGzip", "WPSockets", "WPHTTP", "WPServer", "WPTestKit",
                "WPTestSupport",
            ]
        ),
        .testTarget(
            name: "WPTestKitTests",
            dependencies: ["WPTestKit", "WPCertificates", "WPClient", "WPModel", "WPLogging", "WPHTTP"]
        ),
        .testTarget(
            name: "WPMetricsHTTPTests",
            dependencies: ["WPMetricsHTTP", "WPMetrics", "WPHTTP", "WPServer", "WPGzip", "WPTestKit", "WPTestSupport"]
        ),
        .testTarget(name: "WPServiceTests", dependencies: ["WPService", "WPLogging", "WPTestKit"]),
        .testTarget(
            name: "WPExporterEndToEndTests",
            dependencies: [
                "wpexporter", "WPExporter", "WPModel", "WPText", "WPGzip", "WPLogging", "WPMetrics", "WPHTTP",
                "WPConfig",
                "WPCommandLine", "WPCollector", "WPEnergy", "WPServer", "WPSimulator", "WPCertificates", "WPStorage",
                "WPTerminal", "WPDashboard", "WPPassword", "WPService", "WPTestKit", "WPHub", "WPHistory", "WPFleet",
                "WPNUT",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Fuzz targets need an instrumented build of their own, which Fuzz/run makes.
if Context.environment["WP_FUZZ"] != nil {
    package.targets += [
        .executableTarget(name: "FuzzReply", dependencies: ["WPClient", "WPModel"], path: "Fuzz/Reply"),
        .executableTarget(name: "FuzzRequest", dependencies: ["WPHTTP", "WPServer"], path: "Fuzz/Request"),
        .executableTarget(name: "FuzzResponse", dependencies: ["WPHTTP"], path: "Fuzz/Response"),
        .executableTarget(name: "FuzzNUT", dependencies: ["WPNUT", "WPModel"], path: "Fuzz/NUT"),
        .executableTarget(name: "FuzzInflate", dependencies: ["WPGzip"], path: "Fuzz/Inflate"),
        .executableTarget(
            name: "FuzzHost",
            dependencies: ["WPHost", "WPNode", "WPMetrics", "WPModel"],
            path: "Fuzz/Host"
        ),
        .executableTarget(
            name: "FuzzReport",
            dependencies: ["WPFleet", "WPHTTP", "WPHistory", "WPLogging", "WPModel", "WPServer"],
            path: "Fuzz/Report"
        ),
    ]
}

// ThreadSanitizer does not see into Swift's runtime, so what scripts/sanitize builds with it reports locks to it.
if Context.environment["WP_THREAD_SANITIZER"] != nil {
    package.targets.append(.executableTarget(name: "wp-race-probe", path: "Tests/RaceProbe"))
    for target in package.targets where target.type == .test || target.type == .executable {
        target.dependencies.append("MutexEvents")
    }
    package.targets.append(.target(name: "MutexEvents", path: "Tests/MutexEvents"))
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// WP_ONLY="WPEnergyTests WPHTTPTests" leaves these targets and what they depend on, so that a change is built and tested without
// the rest.
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
