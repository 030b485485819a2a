// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPConfig
import WPCore
import WPHTTP
import WPHost
import WPHubClient
import WPLogging
import WPMetrics
@testable import WPNode
import WPProgram
import WPServer
import WPSettings
import WPTerminal
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The agent of a simulated machine.
struct NodeAgentTests {
    private let directory: TemporaryDirectory
    private let tree: HostTree

    init() throws {
        directory = try TemporaryDirectory()
        tree = try HostFixture.server.write(to: directory.path)
    }

    private var settings: NodeSettings {
        var settings = NodeSettings()
        settings.host.procfs = tree.proc
        settings.host.sysfs = tree.sys
        settings.host.rootfs = tree.root
        settings.node.name = "fixture"
        return settings
    }

    private func get(_ agent: NodeAgent, _ path: String) async throws -> (status: Int, text: String) {
        let response = try await agent.handler.respond(to: HTTPRequest(target: path))
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    @Test func servesFamiliesOfNodeExporter() async throws {
        let agent = try await NodeAgent(settings: settings)
        await agent.sampler.sample()
        let metrics = try await get(agent, "/metrics")
        #expect(metrics.status == 200)
        for name in [
            #"node_cpu_seconds_total{cpu="0",mode="idle"}"#, "node_memory_MemTotal_bytes ", "node_load1 ",
            #"node_scrape_collector_success{collector="cpu"} 1"#, "node_exporter_build_info{",
            "process_cpu_seconds_total ",
        ] {
            #expect(metrics.text.contains("\n" + name), "\(name)")
        }
        #expect(try await get(agent, "/nothing").status == 404)
    }

    @Test func validatesSettingsOfAnEmbeddedAgent() async throws {
        var open = settings
        open.server.auth.username = "prometheus"
        let faults = await #expect(throws: SettingsFaults.self) { try await NodeAgent(settings: open) }
        #expect(faults?.faults.map(\.key) == ["server.auth.username"])
        var wrong = settings
        wrong.server.port = -1
        wrong.node.hubToken = Secret("token")
        let others = await #expect(throws: SettingsFaults.self) { try await NodeAgent(settings: wrong) }
        #expect(others?.faults.map(\.key) == ["server.port", "node.hub_token"])
    }

    @Test func requiresCredentialsOfAnEmbeddedAgent() async throws {
        var settings = settings
        settings.server.auth.bearerToken = Secret("one")
        let agent = try await NodeAgent(settings: settings)
        await agent.sampler.sample()
        #expect(try await get(agent, "/metrics").status == 401)
        #expect(try await get(agent, "/health").status == 200)
    }

    @Test func reportsProblemsInHealth() async throws {
        let agent = try await NodeAgent(settings: settings)
        let before = try await get(agent, "/health")
        #expect(before.status == 200)
        #expect(before.text.contains(#""status":"degraded""#))
        #expect(before.text.contains(#""reason":"stalled""#))
        await agent.sampler.sample()
        let after = try await get(agent, "/health").text
        #expect(after.contains(#""status":"ok""#))
        #expect(after.contains("\"version\":\"\(Version.number)\""))
        #expect(after.contains(#""node":"fixture""#))
    }

    @Test func isDegradedByStaleSamplesAndAnUnreachableHub() async throws {
        let clock = TestClock()
        let sample = await HostSampler(settings.host, timeSource: clock).sample()
        var status = HubSender.Status(lastSuccess: clock.now)
        func parts() -> [HealthPart] {
            [
                sample.health(node: "fixture", interval: .seconds(5), at: clock.now),
                status.health(at: clock.now),
            ]
        }
        #expect(parts().map(\.reason) == [nil, nil])
        status.failure = "Connection refused."
        status.buffered = 3
        #expect(parts().map(\.reason) == [nil, "hub"])
        let push = String(decoding: try JSONEncoder().encode(parts()[1]), as: UTF8.self)
        #expect(push.contains("\"buffered_snapshots\":3"))
        clock.advance(by: .seconds(15))
        #expect(parts()[0].reason == nil)
        clock.advance(by: .seconds(1))
        // Ages do not depend on the wall clock.
        clock.stepWall(by: -3600)
        #expect(parts()[0].reason == "stalled")
        #expect((parts()[0].details as? SampleHealth)?.ageSeconds == 16.0)
        let later = String(decoding: try JSONEncoder().encode(parts()[1]), as: UTF8.self)
        #expect(later.contains("\"last_success_age_seconds\":16"))
    }

    @Test func isStalledAfterThreeOfTheLongestIntervals() async throws {
        let clock = TestClock()
        var settings = settings
        (settings.collect.cpuInterval, settings.collect.processInterval) = (.seconds(2), .seconds(20))
        let agent = try await NodeAgent(settings: settings, parts: ProgramParts(timeSource: clock))
        await agent.sampler.sample()
        clock.advance(by: .seconds(60))
        #expect(try await get(agent, "/health").text.contains(#""status":"ok""#))
        clock.advance(by: .seconds(1))
        #expect(try await get(agent, "/health").text.contains(#""reason":"stalled""#))
    }

    @Test func pushesSamples() async throws {
        let bodies = AsyncStream<String>.makeStream()
        let server = try ScriptedServer { peer in
            while let request = peer.readRequest() {
                bodies.continuation.yield(request)
                _ = peer.send("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"status\":\"ok\"}")
            }
        }
        var settings = settings
        settings.node.hub = try HubAddress("http://127.0.0.1:\(server.port)")
        settings.host.callDeadline = .seconds(5)
        let agent = try await NodeAgent(settings: settings)
        let running = Task { try await agent.run() }
        var iterator = bodies.stream.makeAsyncIterator()
        let text = try #require(await iterator.next())
        running.cancel()
        try await running.value
        #expect(text.hasPrefix("POST /metrics/node HTTP/1.1\r\n"))
        #expect(text.contains(#""node_name":"fixture""#))
        #expect(text.contains(#""memory":{"#))
        #expect(!text.contains("Authorization"))
    }

    @Test func samplesTheHostOnScrape() async throws {
        let agent = try await NodeAgent(settings: settings)
        for load in ["1.5", "2.5"] {
            try tree.write("\(load) 1 1 1/1 1\n", "proc/loadavg")
            // Scrapes within the sharing interval return the same sample.
            #expect(
                try await eventually { try await get(agent, "/metrics").text.contains("\nnode_load1 \(load)\n") }
            )
        }
    }

    @Test func selectsCollectorsByQuery() async throws {
        let agent = try await NodeAgent(settings: settings)
        await agent.sampler.sample()
        let some = try await get(agent, "/metrics?collect[]=loadavg&collect%5B%5D=meminfo").text
        #expect(some.contains("\nnode_load1 ") && some.contains("\nnode_memory_MemTotal_bytes "))
        #expect(!some.contains("node_cpu_seconds_total") && !some.contains("node_network_"))
        #expect(some.contains(#"node_scrape_collector_success{collector="loadavg"} 1"#))
        #expect(!some.contains(#"node_scrape_collector_success{collector="cpu"}"#))
        let others = try await get(agent, "/metrics?exclude[]=loadavg").text
        #expect(!others.contains("\nnode_load1 ") && others.contains("\nnode_cpu_seconds_total"))
        for query in ["collect[]=nothing", "collect[]=cpu&exclude[]=loadavg", "collect[]=%FF"] {
            #expect(try await get(agent, "/metrics?" + query).status == 400, "\(query)")
        }
    }

    /// A collector of an embedding program, which fails on demand.
    private struct RackDoor: MetricCollector {
        struct Jammed: Error {}

        let open = Latest<Bool?>(true)
        let failures = Latest(0)
        private let descriptor: MetricDescriptor

        init() throws {
            descriptor = try MetricDescriptor(name: "rack_door_open", help: "1 while it is open.", type: .gauge)
        }

        var descriptors: [MetricDescriptor] { [descriptor] }

        func collect() async throws -> [MetricFamily] {
            guard let open = open.value else {
                failures.value += 1
                throw Jammed()
            }
            return [MetricFamily(descriptor, value: open ? 1 : 0)]
        }
    }

    @Test func samplesCollectorsOfTheEmbeddingProgram() async throws {
        let (clock, log, door) = (TestClock(), CapturingLogHandler(), try RackDoor())
        let agent = try await NodeAgent(
            settings: settings,
            parts: ProgramParts(
                logger: log.logger,
                timeSource: clock,
                host: HostProgram(name: "rack-agent", version: "1.4.0")
            ),
            collectors: ["rack_door": door]
        )
        let running = Task { try await agent.run() }
        func wait(for line: String) async throws {
            let isShown = try await eventually {
                if try await get(agent, "/metrics").text.contains(line) { return true }
                clock.advance(by: .seconds(5))
                return false
            }
            #expect(isShown, "\(line)")
        }
        try await wait(for: "\nrack_door_open 1\n")
        let all = try await get(agent, "/metrics").text
        #expect(all.contains(#"node_scrape_collector_success{collector="rack_door"} 1"#))
        #expect(all.contains(#"rack_agent_build_info{revision="",swift_version=""#))
        let selected = try await get(agent, "/metrics?collect[]=rack_door").text
        #expect(selected.contains("rack_door_open 1") && !selected.contains("node_load1"))
        #expect(selected.contains(#"node_scrape_collector_success{collector="rack_door"} 1"#))
        let rest = try await get(agent, "/metrics?exclude[]=rack_door").text
        #expect(!rest.contains("rack_door") && rest.contains("\nnode_load1 "))

        door.open.value = nil
        try await wait(for: #"node_scrape_collector_success{collector="rack_door"} 0"#)
        #expect(try await !get(agent, "/metrics").text.contains("rack_door_open"))
        let health = try await get(agent, "/health").text
        #expect(health.contains(#""rack_door""#), "\(health)")
        // Further failures are not logged.
        let hasFailedAgain = await eventually {
            clock.advance(by: .seconds(5))
            return door.failures.value > 2
        }
        #expect(hasFailedAgain)
        door.open.value = false
        try await wait(for: "\nrack_door_open 0\n")
        running.cancel()
        try await running.value
        let messages = log.records.filter { $0.fields.all.contains { "\($0.value)".contains("rack_door") } }.map(
            \.message
        )
        #expect(messages == ["Collector failed", "Collector recovered"])
    }

    @Test func rejectsACollectorWithANameInUse() async throws {
        let registry = Registry()
        try registry.register(try RackDoor())
        await #expect(throws: MetricError.self) {
            try await NodeAgent(
                settings: settings,
                parts: ProgramParts(registry: registry),
                collectors: ["rack_door": try RackDoor()]
            )
        }
    }

    @Test func namesTheEmbeddingProgramInPushes() async throws {
        let requests = AsyncStream<String>.makeStream()
        let server = try ScriptedServer { peer in
            while let request = peer.readRequest() {
                requests.continuation.yield(request)
                _ = peer.send("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"status\":\"ok\"}")
            }
        }
        var settings = settings
        settings.node.hub = try HubAddress("http://127.0.0.1:\(server.port)")
        settings.host.callDeadline = .seconds(5)
        let host = HostProgram(name: "rack-agent", version: "1.4.0")
        let agent = try await NodeAgent(settings: settings, parts: ProgramParts(host: host))
        let running = Task { try await agent.run() }
        var iterator = requests.stream.makeAsyncIterator()
        let text = try #require(await iterator.next())
        running.cancel()
        try await running.value
        #expect(text.contains("\r\nUser-Agent: rack-agent/1.4.0 wpexporter-node/\(Version.number)\r\n"))
    }

    @Test func rejectsAWrongHostDirectory() async throws {
        for path in [\HostConfiguration.procfs, \.sysfs, \.rootfs] {
            var settings = settings
            settings.host[keyPath: path] = directory.file("nothing")
            await #expect(throws: SettingsFaults.self) { try await NodeAgent(settings: settings) }
        }
    }

    @Test(arguments: [1, 2, 5, 100], [true, false])
    func fillsTheScreen(_ rows: Int, _ endsByKey: Bool) async throws {
        let watch = NodeWatch(settings)
        let size = TerminalSize(columns: 80, rows: rows)
        let sampler = HostSampler(settings.host)
        #expect(watch.view(sampler.current, size, .ascii, endsByKey).map(\.text) == ["Sampling this machine"])
        let sample = await sampler.sample()
        let lines = watch.view(sample, size, .ascii, endsByKey).map(\.text)
        #expect(lines.count == max(rows, 2))
        #expect(lines[0].hasPrefix("fixture  "))
        #expect(lines.last == (endsByKey ? "q: quit" : "Ctrl-C: quit"))
        let all = watch.view(sample, TerminalSize(columns: 80, rows: 1000), .ascii, endsByKey).map(\.text)
        #expect(lines.dropLast() == all.prefix(lines.count - 1))
    }

    @Test func isDegradedIfTheHostCannotBeRead() async throws {
        let agent = try await NodeAgent(settings: settings)
        try tree.remove("proc")
        await agent.sampler.sample()
        #expect(try await get(agent, "/health").text.contains(#""reason":"host""#))
    }

    @Test func logsFailingCollectorsOnce() async throws {
        try tree.write("cpu  nonsense\n", "proc/stat")
        let log = CapturingLogHandler()
        let sampler = HostSampler(settings.host)
        let collectorLog = CollectorLog(log.logger)
        for _ in 0..<3 { collectorLog.record(await sampler.sample()) }
        let records = log.records.filter {
            $0.level == .warn && $0.fields.all.contains { "\($0.value)".contains("cpu") }
        }
        #expect(records.count == 1)
    }
}

/// A snapshot on a terminal.
struct SnapshotViewTests {
    private func view(_ change: (inout NodeSnapshot) -> Void = { _ in }, width: Int? = nil) -> [StyledText] {
        var snapshot = NodeSnapshot(nodeName: "worker-3", timestamp: "2026-01-02T03:04:05.000Z")
        var cpu = NodeSnapshot.CPU()
        cpu.usagePercent = 12.34
        snapshot.cpu = cpu
        change(&snapshot)
        return SnapshotView(snapshot, width: width, glyphs: .ascii).lines
    }

    @Test func showsMissingValuesAsDashes() {
        var disk = NodeSnapshot.Disk(device: "/dev/sda1", mountPoint: "/")
        disk.total = 1 << 30
        let lines = view { $0.disks = [disk] }.map(\.text)
        #expect(lines.contains { $0.contains("12.3 %") })
        let row = lines.first { $0.hasPrefix("/dev/sda1") }
        #expect(row?.contains("1.0 GiB") == true)
        #expect(row?.contains(" - ") == true)
        #expect(row?.contains(" 0 ") == false)
    }

    @Test func escapesHostileNames() throws {
        let name = "a\u{1b}]0;owned\u{7}\u{202e}\u{9b}2J\nb\u{0}"
        var snapshot = NodeSnapshot(nodeName: "n", timestamp: "2026-01-02T03:04:05.000Z")
        snapshot.processes = [NodeSnapshot.Process(pid: 7, name: name)]
        let lines = SnapshotView(snapshot, width: 200, glyphs: .ascii).lines.map { $0.rendered(withStyles: false) }
        for scalar in (lines.joined() + (try snapshot.json()).dropLast()).unicodeScalars {
            #expect(![.control, .format].contains(scalar.properties.generalCategory), "\(scalar.value)")
        }
        #expect(lines.contains { $0.contains("owned") })
    }

    @Test(arguments: [20, 40, 60, 80, 120])
    func fitsItsWidth(_ width: Int) {
        var network = NodeSnapshot.Network(interface: "a-very-long-name-of-an-interface")
        network.ipAddress = "2001:db8:0123:4567:89ab:cdef:0123:4567"
        let lines = view({ $0.networks = [network] }, width: width)
        #expect(lines.allSatisfy { $0.width <= width })
    }

    /// A snapshot with every value.
    private static var full: NodeSnapshot {
        var snapshot = NodeSnapshot(nodeName: "worker-3", timestamp: "2026-01-02T03:04:05.000Z")
        (snapshot.os, snapshot.kernel, snapshot.uptime) = ("Debian 13", "6.12", 93_784)
        var cpu = NodeSnapshot.CPU()
        (cpu.usagePercent, cpu.userPercent, cpu.systemPercent, cpu.iowaitPercent) = (50, 30, 15.5, 4.5)
        (cpu.load1, cpu.load5, cpu.load15, cpu.threads, cpu.model) = (1.234, 2, 3, 8, "Xeon")
        snapshot.cpu = cpu
        var memory = NodeSnapshot.Memory()
        (memory.total, memory.used, memory.available, memory.usagePercent) = (8 << 30, 2 << 30, 6 << 30, 25.0)
        (memory.swapTotal, memory.swapUsed, memory.swapPercent) = (1 << 30, 1 << 29, 50)
        snapshot.memory = memory
        var disk = NodeSnapshot.Disk(device: "/dev/mapper/a-long-name-of-a-volume", mountPoint: "/var/lib/containers")
        (disk.filesystemType, disk.total, disk.used, disk.usagePercent) = ("ext4", 1 << 40, 1 << 39, 50)
        (disk.readRate, disk.writeRate, disk.iops, disk.utilization) = (1_048_576, 2_097_152, 123.4, 12.5)
        snapshot.disks = [disk]
        var network = NodeSnapshot.Network(interface: "enp0s31f6-long")
        (network.ipAddress, network.status, network.speed) = ("2001:db8::1234:5678", "up", 1000)
        (network.receiveRate, network.sendRate) = (1000, 2000)
        (network.receiveErrors, network.sendErrors, network.receiveDrops) = (1, 2, 3)
        snapshot.networks = [network]
        snapshot.temperature = NodeSnapshot.Temperature(
            cpu: 55.5,
            cpuMaximum: 90,
            sensors: [.init(name: "coretemp-isa", label: "Package id 0", current: 55.5, max: 90, critical: 100)]
        )
        var process = NodeSnapshot.Process(pid: 4711, name: "postgres")
        (process.commandLine, process.user, process.status) = ("postgres: checkpointer", "postgres-owner", "S")
        (process.cpuPercent, process.memoryPercent, process.residentBytes, process.threads) = (12.5, 3.25, 1 << 28, 9)
        snapshot.processes = [process]
        return snapshot
    }

    @Test func showsAllValues() {
        let text = SnapshotView(Self.full, width: nil, glyphs: .ascii).lines.map(\.text)
        #expect(
            text == [
                "worker-3  Debian 13, kernel 6.12  up 1d 2h, 2026-01-02T03:04:05.000Z", "",
                "CPU     ##########----------   50.0 %  "
                    + "user 30.0 %, system 15.5 %, iowait 4.5 %, 8 processors, 55.5 C, Xeon",
                "Load    1.23  2.00  3.00",
                "Memory  #####---------------   25.0 %  2.0 GiB of 8.0 GiB, 6.0 GiB available",
                "Swap    ##########----------   50.0 %  512 MiB of 1.0 GiB", "",
                "DISK                                 MOUNTED ON           TYPE     SIZE     USED     USE"
                    + "       READ      WRITE  IOPS    BUSY",
                "/dev/mapper/a-long-name-of-a-volume  /var/lib/containers  ext4  1.0 TiB  512 GiB  50.0 %"
                    + "  1.0 MiB/s  2.0 MiB/s   123  12.5 %", "",
                "INTERFACE       ADDRESS              STATE        SPEED  RECEIVED       SENT  ERRORS  DROPS",
                "enp0s31f6-long  2001:db8::1234:5678  up     1000 Mbit/s  1000 B/s  2.0 KiB/s       3      3", "",
                "SENSOR        LABEL            NOW     MAX  CRITICAL",
                "coretemp-isa  Package id 0  55.5 C  90.0 C   100.0 C", "",
                " PID  USER            S     CPU  MEMORY  RESIDENT  THREADS  PROCESS",
                "4711  postgres-owner  S  12.5 %   3.3 %   256 MiB        9  postgres: checkpointer",
            ]
        )
    }

    /// The complete headings, and the narrowest width that has each.
    @Test(
        arguments: [
            [
                "48 DISK MOUNTED ON SIZE USED USE", "59 DISK MOUNTED ON SIZE USED USE WRITE",
                "70 DISK MOUNTED ON SIZE USED USE READ WRITE", "78 DISK MOUNTED ON SIZE USED USE READ WRITE BUSY",
                "84 DISK MOUNTED ON SIZE USED USE READ WRITE IOPS BUSY",
                "113 DISK MOUNTED ON TYPE SIZE USED USE READ WRITE IOPS BUSY",
            ],
            [
                "49 INTERFACE ADDRESS STATE RECEIVED SENT", "57 INTERFACE ADDRESS STATE RECEIVED SENT ERRORS",
                "64 INTERFACE ADDRESS STATE RECEIVED SENT ERRORS DROPS",
                "91 INTERFACE ADDRESS STATE SPEED RECEIVED SENT ERRORS DROPS",
            ],
            ["44 SENSOR LABEL NOW MAX CRITICAL"],
            [
                "42 PID S CPU MEMORY RESIDENT PROCESS", "55 PID USER S CPU MEMORY RESIDENT PROCESS",
                "82 PID USER S CPU MEMORY RESIDENT THREADS PROCESS",
            ],
        ]
    )
    func dropsColumnsThatDoNotFit(_ expected: [String]) throws {
        let first = try #require(expected.first).split(separator: " ")[1]
        var found: [String] = []
        var last = ""
        for width in 30...160 {
            let lines = SnapshotView(Self.full, width: width, glyphs: .ascii).lines.map(\.text)
            let heading = try #require(lines.firstIndex { $0.contains(first) })
            let titles = lines[heading].split(separator: " ").joined(separator: " ")
            if titles != last, !titles.contains("~") { found.append("\(width) \(titles)") }
            last = titles
        }
        #expect(found == expected)
    }

    @Test func formatsDurationsAndSizes() {
        #expect(SnapshotText.span(93_784) == "1d 2h")
        #expect(SnapshotText.span(65) == "1m 5s")
        #expect(SnapshotText.span(nil) == "-")
        #expect(SnapshotText.size(1536) == "1.5 KiB")
        #expect(SnapshotText.size(nil) == "-")
        #expect(SnapshotText.size(1023) == "1023 B")
        #expect(SnapshotText.size(1024) == "1.0 KiB")
        #expect(SnapshotText.size(100 << 20) == "100 MiB")
        #expect(SnapshotText.size(5000 << 50) == "5000 PiB")
        #expect(SnapshotText.span(0) == "0s")
        #expect(SnapshotText.span(59.9) == "59s")
        #expect(SnapshotText.span(60) == "1m 0s")
        #expect(SnapshotText.span(3600) == "1h 0m")
        #expect(SnapshotText.span(86_399) == "23h 59m")
        #expect(SnapshotText.span(86_400 * 2 - 1) == "1d 23h")
        #expect(SnapshotText.span(-1) == "-")
    }

    @Test func highlightsHighUsage() {
        #expect([nil, 79.9].map { SnapshotText.style($0) } == [.plain, .plain])
        #expect([80, 94.9].map { SnapshotText.style($0) } == [TextStyle(.yellow), TextStyle(.yellow)])
        #expect(SnapshotText.style(95) == TextStyle(.red, isBold: true))
        #expect(SnapshotText.style(85, warnFrom: 90) == .plain)
    }
}
