// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine
import WPConfig
import WPHost

@testable import WPNodeAgent

/// The settings of `wpexporter node`.
struct NodeSettingsTests {
    private func load(
        _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws -> LoadedSettings<NodeSettings> {
        let spec = CommandSpec("node", summary: "A test", shared: NodeSettings.table.options)
        let options = try OptionParser(spec).parse(arguments)
        return try SettingsLoader(NodeSettings.table, environment: environment).load(
            flags: options.settingFlags,
            checksFiles: false
        )
    }

    @Test func defaults() throws {
        let settings = try load().settings
        #expect(settings.server.port == 9100)
        #expect(settings.node.hub == nil)
        #expect(HostConfiguration(settings) == HostConfiguration())
        #expect(settings.node.pushInterval == .seconds(5))
    }

    @Test func flagsOfNodeExporter() throws {
        let settings = try load([
            "--path.procfs", "/host/proc", "--path.sysfs=/host/sys", "--path.rootfs=/host/root", "--no-collector.hwmon",
            "--collector.filesystem.mount-points-exclude=^/mnt($|/)", "--collector.filesystem.fs-types-exclude=^nfs$",
            "--collector.diskstats.device-exclude=^sd", "--collector.netdev.device-exclude=^veth",
            "--collector.netclass.ignored-devices=^lo$", "--collector.hwmon.chip-exclude=nvme",
            "--collector.vmstat.fields=^oom",
        ]).settings
        let host = HostConfiguration(settings)
        #expect(host.procfs == "/host/proc")
        #expect(host.sysfs == "/host/sys")
        #expect(host.rootfs == "/host/root")
        #expect(host.collectors == Set(HostCollectorName.allCases).subtracting([.hwmon]))
        #expect(host.excludedMountPoints.description == "^/mnt($|/)")
        #expect(host.excludedFilesystemTypes.description == "^nfs$")
        #expect(host.excludedDisks.description == "^sd")
        #expect(host.excludedTraffic?.description == "^veth")
        #expect(host.excludedInterfaces?.description == "^lo$")
        #expect(host.excludedChips?.description == "nvme")
        #expect(host.includedVMStatFields.description == "^oom")
    }

    @Test func onlyWhatIsSwitchedOn() throws {
        let settings = try load(["--collector.disable-defaults", "--collector.cpu", "--collector.thermal_zone"])
            .settings
        #expect(settings.collectors.enabled == [.cpu, .thermalZone])
    }

    @Test func variablesOfTheSeed() throws {
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
        #expect(settings.collect.topProcesses == 20)
        #expect(settings.path.procfs == "/host_proc")
        #expect(settings.path.sysfs == "/host_sys")
        #expect(settings.path.rootfs == "/host_root")
        #expect(settings.node.hub?.description == "http://hub.monitoring.svc:8082")
        #expect(settings.node.name == "worker-3")
    }

    @Test func ownVariablesAndFlags() throws {
        let settings = try load(
            ["--port", "0", "--host=127.0.0.1"],
            environment: ["WPNODE_NODE_NAME": "a", "WPNODE_SERVER_PORT": "9101"]
        ).settings
        #expect(settings.server.port == 0)
        #expect(settings.server.host == "127.0.0.1")
        #expect(settings.node.name == "a")
    }

    @Test func twoNamesOfOneSettingMustAgree() {
        #expect(throws: SettingsFaults.self) {
            try load(environment: ["WPNODE_NODE_NAME": "a", "NODE_NAME": "b"])
        }
    }

    @Test func anExpressionThatDoesNotCompileIsAFault() throws {
        let faults = #expect(throws: SettingsFaults.self) { try load(["--collector.netdev.device-exclude=(veth"]) }
        #expect(faults?.description.contains("--collector.netdev.device-exclude") == true)
    }

    @Test func aTokenWithoutAHubIsAFault() throws {
        let faults = #expect(throws: SettingsFaults.self) { try load(["--node.hub-token-file=/token"]) }
        #expect(faults?.description.contains("node.hub") == true)
    }

    @Test func aTokenInTheClearIsWarnedOf() throws {
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
    func hubAddresses(_ text: String, _ address: String) throws {
        #expect(try HubAddress(text).description == address)
    }

    @Test(arguments: ["https://user:secret@hub", "ftp://hub", "http://", "http://hub:0", "http://hub?x=1", "a b"])
    func addressesThatAreNone(_ text: String) {
        let error = #expect(throws: HubAddress.Malformed.self) { try HubAddress(text) }
        #expect(error?.description.contains("secret") == false)
    }

    @Test func theExampleFileIsTheDefaults() throws {
        let loaded = try load()
        #expect(NodeSettings.exampleFile.contains("  port: 9100\n"))
        #expect(loaded.effective.count == NodeSettings.table.all.count)
    }
}
