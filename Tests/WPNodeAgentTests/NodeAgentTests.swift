// SPDX-License-Identifier: MIT

import HostFixtures
import Testing
import WPConfig
import WPConfig
import WPHTTP
import WPHost
import WPHubClient
import WPLogging
import WPMetrics
import WPModel
import WPServer
import WPTerminal
import WPTestKit

@testable import WPNodeAgent

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The agent of a machine that does not exist.
struct NodeAgentTests {
    private let directory: TemporaryDirectory
    private let tree: HostTree

    init() throws {
        directory = try TemporaryDirectory()
        tree = try HostFixture.server.write(to: directory.path)
    }

    private var settings: NodeSettings {
        var settings = NodeSettings()
        settings.path = NodeSettings.Paths()
        settings.path.procfs = tree.proc
        settings.path.sysfs = tree.sys
        settings.path.rootfs = tree.root
        settings.node.name = "fixture"
        return settings
    }

    private func get(_ agent: NodeAgent, _ path: String) async throws -> (status: Int, text: String) {
        let response = try await agent.handler.respond(to: HTTPRequest(target: path))
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    @Test func servesNodeExportersFamilies() async throws {
        let agent = try NodeAgent(settings: settings, listens: false)
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

    @Test func anEmbeddedAgentRejectsWhatAFileMayNotSay() throws {
        var open = settings
        open.server.auth.username = "prometheus"
        let faults = #expect(throws: SettingsFaults.self) { try NodeAgent(settings: open, listens: false) }
        #expect(faults?.faults.map(\.key) == ["server.auth.username"])
        var wrong = settings
        wrong.server.port = -1
        wrong.node.hubToken = Secret("token")
        let others = #expect(throws: SettingsFaults.self) { try NodeAgent(settings: wrong, listens: false) }
        #expect(others?.faults.map(\.key) == ["server.port", "node.hub_token"])
    }

    @Test func anEmbeddedAgentAsksForItsCredentials() async throws {
        var settings = settings
        settings.server.auth.bearerToken = Secret("one")
        let agent = try NodeAgent(settings: settings, listens: false)
        await agent.sampler.sample()
        #expect(try await get(agent, "/metrics").status == 401)
        #expect(try await get(agent, "/health").status == 200)
    }

    @Test func healthSaysWhatIsWrong() async throws {
        let agent = try NodeAgent(
            settings: settings,
            build: NodeAgent.Build(version: "1.2.3"),
            listening: nil,
            logger: .silent
        )
        let before = try await get(agent, "/health")
        #expect(before.status == 200)
        #expect(before.text.contains(#""status":"degraded""#))
        #expect(before.text.contains(#""reason":"stalled""#))
        await agent.sampler.sample()
        let after = try await get(agent, "/health").text
        #expect(after.contains(#""status":"ok""#))
        #expect(after.contains(#""version":"1.2.3""#))
        #expect(after.contains(#""node":"fixture""#))
    }

    @Test func staleSamplesAndAHubThatIsAwayAreDegraded() async throws {
        let sampler = HostSampler(HostConfiguration(settings))
        let sample = await sampler.sample()
        let clock = TestClock(wall: Date(timeIntervalSince1970: sample.time))
        var status = HubSender.Status()
        func health() -> NodeHealth.Report {
            let push = status
            return NodeHealth(
                version: "",
                node: { "fixture" },
                sample: { sample },
                interval: 5,
                push: { push },
                timeSource: clock.timeSource,
                started: clock.timeSource.now
            ).report
        }
        #expect(health().status == "ok")
        status.failure = "Nobody listens."
        status.buffered = 3
        #expect(health().reason == "hub")
        #expect(health().hub?.bufferedSnapshots == 3)
        clock.advance(by: .seconds(16))
        #expect(health().reason == "stalled")
        #expect(health().sampleAgeSeconds == 16.0)
    }

    @Test func pushesWhatItSampled() async throws {
        let bodies = AsyncStream<String>.makeStream()
        let server = try ScriptedServer { peer in
            while let request = peer.readRequest() {
                bodies.continuation.yield(request)
                _ = peer.send("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"status\":\"ok\"}")
            }
        }
        var settings = settings
        settings.node.hub = try HubAddress("http://127.0.0.1:\(server.port)")
        settings.collect.callDeadline = .seconds(5)
        let agent = try NodeAgent(settings: settings, listens: false)
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

    @Test func aScrapeShowsTheHostAsItIsNow() async throws {
        let agent = try NodeAgent(settings: settings, listens: false)
        for load in ["1.5", "2.5"] {
            try tree.write("\(load) 1 1 1/1 1\n", "proc/loadavg")
            // Within the time for which scrapes share a sample, the last one is shown.
            while try await !get(agent, "/metrics").text.contains("\nnode_load1 \(load)\n") { await Task.yield() }
        }
    }

    @Test func aScrapeCanAskForSomeCollectors() async throws {
        let agent = try NodeAgent(settings: settings, listens: false)
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

    @Test func aWrongDirectoryOfTheHostIsAFaultOfTheSettings() throws {
        for path in [\NodeSettings.Paths.procfs, \.sysfs, \.rootfs] {
            var settings = settings
            settings.path[keyPath: path] = directory.file("nothing")
            #expect(throws: SettingsFaults.self) { try NodeAgent(settings: settings, listens: false) }
        }
    }

    @Test func aHostThatCannotBeReadIsDegraded() async throws {
        let agent = try NodeAgent(settings: settings, listens: false)
        try tree.remove("proc")
        await agent.sampler.sample()
        #expect(try await get(agent, "/health").text.contains(#""reason":"host""#))
    }

    @Test func collectorsThatFailAreLoggedOnce() async throws {
        try tree.write("cpu  nonsense\n", "proc/stat")
        let log = CapturingLogHandler()
        let sampler = HostSampler(HostConfiguration(settings))
        let collectorLog = CollectorLog(log.logger)
        for _ in 0..<3 { collectorLog.take(await sampler.sample()) }
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

    @Test func missingIsADash() {
        var disk = NodeSnapshot.Disk(device: "/dev/sda1", mountPoint: "/")
        disk.total = 1 << 30
        let lines = view { $0.disks = [disk] }.map(\.text)
        #expect(lines.contains { $0.contains("12.3 %") })
        let row = lines.first { $0.hasPrefix("/dev/sda1") }
        #expect(row?.contains("1.0 GiB") == true)
        #expect(row?.contains(" - ") == true)
        #expect(row?.contains(" 0 ") == false)
    }

    @Test func hostileNamesAreHarmless() throws {
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

    @Test func spansAndSizes() {
        #expect(SnapshotText.span(93_784) == "1d 2h")
        #expect(SnapshotText.span(65) == "1m 5s")
        #expect(SnapshotText.span(nil) == "-")
        #expect(SnapshotText.size(1536) == "1.5 KiB")
        #expect(SnapshotText.size(nil) == "-")
        #expect(SnapshotText.size(1023) == "1023 B")
    }
}
