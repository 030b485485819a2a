// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPCore
import WPHTTP
import WPModel
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The production stack against faulty servers, compared with the tables in `docs/protocol.md`. With `RECORD_DOCS=1`
/// the tables are rewritten, and the tests fail so that the variable is not left set.
@Suite("Documented faults", .serialized, .timeLimit(.minutes(3)))
struct FaultTableTests {
    @Test func matchAScriptedServer() async throws {
        try await compare("wire-faults", WireFault.all.map(\.name)) { index in
            try await WireFault.all[index].run()
        }
    }

    @Test func matchEverySimulatedScenario() async throws {
        let scenarios = Scenario.allCases.filter { $0 != .normal }
        try await compare("simulator-faults", scenarios.map(\.rawValue)) { index in
            try await Self.run(scenarios[index])
        }
    }

    private static func run(_ scenario: Scenario) async throws -> FaultOutcome {
        let simulator = WinPowerSimulator(
            configuration: SimulatorConfiguration(
                deviceCount: 45,
                scenario: scenario,
                slowDelay: .seconds(5),
                dripInterval: .milliseconds(200),
                oversizedByteCount: 4 << 20
            )
        )
        let server = SimulatorServer(simulator: simulator)
        try server.bind()
        let url = try #require(server.url)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            let transport = RecordingTransport(
                try HTTPClient(HTTPClient.Configuration(origin: HTTPOrigin(parsing: url), maxBodyBytes: 1 << 20))
            )
            let isSlow = [.slow, .hang, .drip].contains(scenario)
            let client = WinPowerClient(
                configuration: WinPowerClient.Configuration(apiTimeout: isSlow ? .seconds(2) : .seconds(30)),
                transport: transport,
                credentials: { WinPowerCredentials(username: "admin", password: Secret("admin")) }
            )
            var outcome = FaultOutcome(fault: scenario.rawValue)
            try await outcome.recordFault(client, transport)
            simulator.set(scenario: .normal)
            let requests = transport.requests
            do {
                #expect(try await client.readDevices().count == 45)
                outcome.afterwards = "succeeds"
            } catch let error as DeviceSourceError {
                #expect(transport.requests == requests, "\(scenario): \(error)")
                outcome.afterwards = "waits, as logins pause"
            }
            return outcome
        }
    }

    // MARK: The tables

    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/protocol.md")
    private static let isRecording = ProcessInfo.processInfo.environment["RECORD_DOCS"] == "1"
    /// The number of concurrent cases: each occupies threads, and some wait for a second.
    private static let width = 4

    private func compare(
        _ table: String,
        _ names: [String],
        _ run: @escaping @Sendable (Int) async throws -> FaultOutcome
    ) async throws {
        #expect(Set(names).count == names.count)
        var outcomes: [Int: FaultOutcome] = [:]
        try await withThrowingTaskGroup(of: (Int, FaultOutcome).self) { group in
            for index in names.indices {
                if index >= Self.width, let (done, outcome) = try await group.next() { outcomes[done] = outcome }
                group.addTask { (index, try await run(index)) }
            }
            for try await (done, outcome) in group { outcomes[done] = outcome }
        }
        let rows = names.indices.compactMap { outcomes[$0]?.row }
        #expect(rows.count == names.count)
        try check(table, rows)
    }

    private func check(_ table: String, _ rows: [String]) throws {
        let text = String(decoding: try Data(contentsOf: Self.page), as: UTF8.self)
        let begin = try #require(text.firstRange(of: "<!-- \(table):begin -->\n"))
        let end = try #require(text.firstRange(of: "<!-- \(table):end -->"))
        let wanted = ([FaultOutcome.head] + rows).joined(separator: "\n") + "\n"
        let found = String(text[begin.upperBound..<end.lowerBound])
        if Self.isRecording {
            let new = text[..<begin.upperBound] + wanted + text[end.lowerBound...]
            try Data(new.utf8).write(to: Self.page)
            Issue.record("recorded the table \(table); run again without RECORD_DOCS")
            return
        }
        let documented = found.split(separator: "\n").map(String.init)
        for row in rows where !documented.contains(row) { Issue.record("the table \(table) lacks: \(row)") }
        for row in documented.dropFirst(2) where !rows.contains(row) {
            Issue.record("the table \(table) has an outdated row: \(row)")
        }
        #expect(found == wanted)
    }
}
