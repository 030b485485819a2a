// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine
import WPConfig
import WPCore
@testable import WPHost
import WPHubClient
import WPLogging
@testable import WPNode
import WPProgram
import WPSettings
import WPTestKit

/// The settings of `wpexporter node`.
struct NodeSettingsTests {
    private func load(
        _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws -> LoadedSettings<NodeSettings> {
        let spec = CommandSpec(
            "node",
            summary: "A test",
            options: NodeExporterFlags.options,
            shared: NodeSettings.table.options
        )
        let options = try OptionParser(spec).parse(arguments)
        let flags = try NodeExporterFlags(options)
        return try SettingsLoader(NodeSettings.table, environment: environment).load(
            flags: options.settingFlags + flags.settings,
            checksFiles: false
        )
    }

    @Test func listensOnTheNodeExporterPortByDefault() throws {
        let settings = try load().settings
        #expect(settings.server.port == 9100)
        #expect(settings.node.hub == nil)
        #expect(settings.host == HostConfiguration())
        #expect(settings.node.pushInterval == .seconds(5))
    }

    @Test func anEmbeddedAgentHasTheSameDefaults() throws {
        #expect(try load().settings == NodeSettings())
    }

    @Test func acceptsNodeExporterFlags() throws {
        let settings = try load([
            "--path.procfs", "/host/proc", "--path.sysfs=/host/sys", "--path.rootfs=/host/root", "--no-collector.hwmon",
            "--collector.filesystem.mount-points-exclude=^/mnt($|/)", "--collector.filesystem.fs-types-exclude=^nfs$",
            "--collector.diskstats.device-exclude=^sd", "--collector.netdev.device-exclude=^veth",
            "--collector.netclass.ignored-devices=^lo$", "--collector.hwmon.chip-exclude=nvme",
            "--collector.vmstat.fields=^oom",
        ]).settings
        let host = settings.host
        #expect(host.procfs == "/host/proc")
        #expect(host.sysfs == "/host/sys")
        #expect(host.rootfs == "/host/root")
        #expect(host.collectors == HostCollectorName.defaults.subtracting(["hwmon"]))
        #expect(host.excludedMountPoints.description == "^/mnt($|/)")
        #expect(host.excludedFilesystemTypes.description == "^nfs$")
        #expect(host.excludedDisks.description == "^sd")
        #expect(host.excludedTraffic?.description == "^veth")
        #expect(host.excludedInterfaces?.description == "^lo$")
        #expect(host.excludedChips?.description == "nvme")
        #expect(host.includedVMStatFields.description == "^oom")
    }

    /// The arguments of kube-prometheus' DaemonSet.
    @Test func acceptsTheArgumentsOfKubePrometheus() throws {
        let settings = try load([
            "--web.listen-address=127.0.0.1:9100", "--path.sysfs=/host/sys", "--path.rootfs=/host/root",
            "--path.procfs=/host/root/proc", "--path.udev.data=/host/root/run/udev/data", "--no-collector.wifi",
            "--no-collector.hwmon", "--no-collector.btrfs",
            "--collector.filesystem.mount-points-exclude=^/(dev|proc|sys|run/k3s/containerd/.+|var/lib/docker/.+|var/lib/kubelet/pods/.+)($|/)",
            "--collector.netclass.ignored-devices=^(veth.*|[a-f0-9]{15})$",
            "--collector.netdev.device-exclude=^(veth.*|[a-f0-9]{15})$",
        ]).settings
        #expect(settings.server.host == "127.0.0.1" && settings.server.port == 9100)
        #expect(settings.host.excludedTraffic?.matches("0123456789abcde") == true)
        #expect(settings.host.excludedTraffic?.matches("eth0") == false)
        #expect(settings.host.excludedMountPoints.matches("/var/lib/kubelet/pods/x/y"))
        #expect(!settings.host.collectors.contains("hwmon"))
    }

    @Test func acceptsNodeExporterAddressesLevelsAndFormats() throws {
        let settings = try load([
            "--web.listen-address=:9101", "--web.listen-address=[::1]:9102", "--web.listen-address", "localhost:9103",
            "--log.level=warn", "--log.format=logfmt", "--collector.filesystem.mount-timeout=2s",
            "--web.telemetry-path=/metrics", "--web.max-requests=40", "--runtime.gomaxprocs=1", "--web.config.file=",
            "--web.disable-exporter-metrics", "--collector.systemd.unit-include=.+",
        ]).settings
        #expect(settings.server.host == "0.0.0.0" && settings.server.port == 9101)
        #expect(settings.server.additionalAddresses.map(\.description) == ["[::1]:9102", "localhost:9103"])
        #expect(settings.logging.level == .warn && settings.logging.format == .console)
        #expect(settings.host.mountDeadline == .seconds(2))
        for arguments in [
            ["--web.listen-address=9100"], ["--web.listen-address=::1:9100"], ["--web.listen-address=:99999"],
            ["--collector.systemd"], ["--web.telemetry-path=/other"], ["--log.format=yaml"],
        ] {
            #expect(throws: OptionFault.self, "\(arguments)") { try load(arguments) }
        }
        #expect(throws: SettingsFaults.self) { try load(["--web.listen-address=:9100", "--port=9101"]) }
    }

    @Test func omitsNodeExportersFlagsFromTheHelpText() {
        #expect(NodeExporterFlags.options.filter(\.isListed).map(\.name) == [])
    }

    @Test func inclusionsReplaceTheDefaultExclusions() throws {
        let host = try load([
            "--collector.diskstats.device-include=^loop0$", "--collector.arp.device-exclude=^veth",
        ]).settings.host
        let disks = NameFilter(host.excludedDisks, included: host.includedDisks)
        #expect(!disks.matches("loop0") && disks.matches("sda"))
        let neighbours = NameFilter(host.excludedNeighbours, included: host.includedNeighbours)
        #expect(neighbours.matches("veth1") && !neighbours.matches("eth0"))
        let both = try load([
            "--collector.diskstats.device-include=^sd", "--collector.diskstats.ignored-devices=^sdb$",
        ]).settings.host
        let some = NameFilter(both.excludedDisks, included: both.includedDisks)
        #expect(!some.matches("sda") && some.matches("sdb") && some.matches("nvme0n1"))
    }

    @Test func readsNodeExportersWebConfiguration() throws {
        let directory = try TemporaryDirectory()
        let hash = "$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG"
        let path = try directory.write(
            """
            tls_server_config:
              cert_file: node.crt
              key_file: /etc/node.key
              min_version: TLS13
              client_auth_type: RequireAndVerifyClientCert
              client_ca_file: ca.crt
              cipher_suites: [TLS_AES_128_GCM_SHA256]
            http_server_config: {http2: true}
            basic_auth_users:
              prometheus: \(hash)
            """,
            to: "web.yml"
        )
        let loaded = try load(["--web.config.file=" + path])
        let server = loaded.settings.server
        #expect(server.tls.certFile == directory.file("node.crt") && server.tls.keyFile == "/etc/node.key")
        #expect(server.tls.clientCAFile == directory.file("ca.crt") && server.tls.minVersion == .v13)
        #expect(server.auth.username == "prometheus" && server.auth.passwordHash?.reveal() == hash)
        #expect(!loaded.warnings.contains { $0.contains("list processes") })
        for (text, problem) in [
            ("basic_auth_users: {a: x, b: y}", "web.yml:1:26: the agent supports only one user"),
            ("tls_server_config: {client_ca_file: x}", "client_auth_type"),
            ("tls_server_config: {client_auth_type: RequireAnyClientCert}", "client_auth_type"),
            ("tls_server_config: {client_ca_file: x, client_auth_type: NoClientCert}", "client_auth_type"),
            ("tls_server_config: {client_auth_type: VerifyClientCertIfGiven}", "needs client_ca_file"),
            ("tls_server_config: {client_auth_type: RequireAndVerifyClientCert}", "needs client_ca_file"),
            ("tls_server_config: {min_version: TLS14}", "web.yml:1:21: min_version must be TLS12 or TLS13"),
            ("tls_server_config: {cert: x}", "cert is unknown"),
            ("tls_server_config: {cert_file: ''}", "cert_file must be a string"),
            ("tls_server_config: {cert_file: [a]}", "cert_file must be a string"),
            ("tls_server_config: {client_allowed_sans: a}", "client_allowed_sans must be a list"),
            ("tls_server_config: {client_allowed_sans: [[a]]}", "client_allowed_sans must be a list of strings"),
            ("tls_server_config: 1", "tls_server_config is not a map"),
            ("other: 1", "is unknown"),
            ("- 1", "not a map"), ("a: [", "web.yml"),
        ] {
            _ = try directory.write(text, to: "web.yml")
            let fault = #expect(throws: OptionFault.self, "\(text)") { try load(["--web.config.file=" + path]) }
            #expect(fault?.description.contains(problem) == true, "\(fault?.description ?? "")")
        }
        _ = try directory.write("", to: "web.yml")
        #expect(try load(["--web.config.file=" + path]).settings.server.auth.username == nil)
        #expect(throws: OptionFault.self) { try load(["--web.config.file=" + directory.file("none")]) }
    }

    @Test(
        arguments: [
            ("", nil, 0), ("client_auth_type: NoClientCert", nil, 0),
            ("client_ca_file: /ca, client_auth_type: VerifyClientCertIfGiven", "optional", 0),
            ("client_ca_file: /ca, client_auth_type: RequireAndVerifyClientCert", "required", 0),
            ("min_version: TLS11", nil, 1), ("min_version: TLS10", nil, 1), ("min_version: TLS12", nil, 0),
        ] as [(String, String?, Int)]
    )
    func readsTheClientsOfTheWebConfigurationFile(_ text: String, _ clients: String?, _ warnings: Int) throws {
        let directory = try TemporaryDirectory()
        let file = try WebConfigFile(directory.write("tls_server_config: {\(text)}", to: "web.yml"))
        #expect(file.settings.first { $0.key == "server.tls.client_auth" }?.value.reveal() == clients)
        #expect(file.settings.contains { $0.key == "server.tls.client_ca_file" } == (clients != nil))
        let version = file.settings.first { $0.key == "server.tls.min_version" }?.value.reveal()
        #expect(version == (text.contains("12") ? "1.2" : nil))
        #expect(file.warnings.count == warnings)
    }

    @Test func runsOnlyEnabledCollectors() throws {
        let settings = try load(["--collector.disable-defaults", "--collector.cpu", "--collector.thermal_zone"])
            .settings
        #expect(settings.host.collectors == ["cpu", "thermal_zone"])
    }

    @Test func acceptsTheVariablesOfAtlhypersAgent() throws {
        let settings = try load(environment: [
            "METRICS_CPU_INTERVAL": "2s", "METRICS_PROC_INTERVAL": "4s", "METRICS_COLLECT_INTERVAL": "10s",
            "METRICS_PUSH_TIMEOUT": "3s", "METRICS_PUSH_RETRY_DELAY": "2s", "METRICS_PUSH_RETRY_COUNT": "5",
            "METRICS_TOP_PROCESSES": "20", "METRICS_PROC_ROOT": "/host_proc", "METRICS_SYS_ROOT": "/host_sys",
            "METRICS_HOST_ROOT": "/host_root", "METRICS_AGENT_ADDR": "hub.monitoring.svc:8082", "NODE_NAME": "worker-3",
        ]).settings
        #expect(settings.collect.cpuInterval == .seconds(2))
        #expect(settings.collect.processInterval == .seconds(4))
        #expect(settings.collect.interval == .seconds(10))
        #expect(settings.node.pushInterval == .seconds(10))
        #expect(settings.node.pushTimeout == .seconds(3))
        #expect(settings.node.pushRetryDelay == .seconds(2))
        #expect(settings.node.pushAttempts == 5)
        let sender = HubSender.Configuration(try load(["--node.push-buffer=7"]).settings.node)
        #expect(sender.bufferCount == 7)
        let pushes = HubSender.Configuration(settings.node)
        #expect(pushes.path == "/metrics/node" && pushes.attempts == 5)
        #expect(pushes.timeout == .seconds(3) && pushes.retryDelay == .seconds(2))
        #expect(settings.host.topProcesses == 20)
        #expect(settings.host.procfs == "/host_proc")
        #expect(settings.host.sysfs == "/host_sys")
        #expect(settings.host.rootfs == "/host_root")
        #expect(settings.node.hub?.description == "http://hub.monitoring.svc:8082")
        #expect(settings.node.name == "worker-3")
    }

    @Test func acceptsItsOwnVariablesAndFlags() throws {
        let settings = try load(
            ["--port", "0", "--host=127.0.0.1"],
            environment: ["WPNODE_NODE_NAME": "a", "WPNODE_SERVER_PORT": "9101"]
        ).settings
        #expect(settings.server.port == 0)
        #expect(settings.server.host == "127.0.0.1")
        #expect(settings.node.name == "a")
    }

    @Test func rejectsConflictingNamesOfASetting() {
        #expect(throws: SettingsFaults.self) {
            try load(environment: ["WPNODE_NODE_NAME": "a", "NODE_NAME": "b"])
        }
    }

    @Test func rejectsAnInvalidExpression() throws {
        let faults = #expect(throws: SettingsFaults.self) { try load(["--collector.netdev.device-exclude=(veth"]) }
        #expect(faults?.description.contains("--collector.netdev.device-exclude") == true)
    }

    @Test func rejectsATokenWithoutAHub() throws {
        let faults = #expect(throws: SettingsFaults.self) { try load(["--node.hub-token-file=/token"]) }
        #expect(faults?.description.contains("node.hub") == true)
    }

    @Test func warnsAboutAnUnencryptedToken() throws {
        let flags = ["--node.hub-token-file=/token", "--node.hub"]
        #expect(try load(flags + ["http://hub.example.com"]).warnings.contains { $0.contains("unencrypted") })
        #expect(try load(flags + ["https://hub.example.com"]).warnings.isEmpty)
        #expect(try load(flags + ["http://127.0.0.1:8082"]).warnings.isEmpty)
    }

    @Test(arguments: [
        ("https://hub.example.com:8082/", "https://hub.example.com:8082"),
        ("http://hub:8082/metrics/node", "http://hub:8082"),
        ("hub:8082", "http://hub:8082"),
        ("https://example.com/hub/metrics/node", "https://example.com/hub"),
        ("http://[::1]:8082", "http://[::1]:8082"),
    ])
    func parsesHubAddresses(_ text: String, _ address: String) throws {
        #expect(try HubAddress(text).description == address)
    }

    @Test(arguments: [
        ("http://hub", true), ("http://192.0.2.1:8082", true), ("https://hub", false),
        ("http://localhost:8082", false), ("http://hub.localhost", false), ("http://127.0.0.2", false),
        ("http://[::1]:8082", false),
        ("http://localhost.example", true), ("http://mylocalhost", true), ("http://12.7.0.1", true),
    ])
    func detectsUnencryptedHubsOnOtherMachines(_ address: String, _ exposesTraffic: Bool) throws {
        #expect(try HubAddress(address).exposesTraffic == exposesTraffic)
    }

    @Test(arguments: ["https://user:secret@hub", "ftp://hub", "http://", "http://hub:0", "http://hub?x=1", "a b"])
    func rejectsInvalidHubAddresses(_ text: String) {
        let error = #expect(throws: HubAddress.Malformed.self) { try HubAddress(text) }
        #expect(error?.description.contains("secret") == false)
    }

    @Test func exampleFileHasTheDefaults() throws {
        let loaded = try load()
        #expect(NodeSettings.exampleFile.contains("  port: 9100\n"))
        #expect(loaded.effective.count == NodeSettings.table.all.count)
    }
}
