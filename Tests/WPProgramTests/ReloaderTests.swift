// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPLogging
import WPMetrics
@testable import WPProgram
import WPSettings
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The reloader with steps defined by tests.
@Suite(.timeLimit(.minutes(1))) struct ReloaderTests {
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description = "the file is gone"
    }

    private let journal = Journal()
    private let log = CapturingLogHandler()
    private let clock = TestClock()

    private func reloader(
        _ load: @escaping @Sendable () throws -> LoadedSettings<ProbeSettings>
    ) async throws -> Reloader<ProbeSettings> {
        Reloader(
            running: try Loaded.settings(["probe.interval": "60s"]),
            instruments: try ReloadInstruments(registry: Registry(), prefix: "p", timeSource: TestClock().timeSource),
            timeSource: clock.timeSource,
            logger: log.logger,
            load: load
        )
    }

    private func step(_ name: String, fails: Bool = false) -> ReloadPart<ProbeSettings> {
        ReloadPart<ProbeSettings> { [journal] new, running in
            journal.add("\(name) prepares \(new.interval) from \(running.interval)")
            if fails { throw Failure() }
            return { journal.add("\(name) commits") }
        }
    }

    @Test func preparesAllBeforeCommittingAny() async throws {
        let reloader = try await reloader { try Loaded.settings(["probe.interval": "120s"]) }
        await reloader.use([step("a"), step("b")])
        #expect(await reloader.reload(.signal) == .applied(changed: ["probe.interval"], waiting: [], warnings: []))
        #expect(
            journal.all == [
                "a prepares 120.0 seconds from 60.0 seconds", "b prepares 120.0 seconds from 60.0 seconds",
                "a commits", "b commits",
            ]
        )
        #expect(await reloader.running.settings.interval == .seconds(120))
    }

    @Test func changesNothingIfOneStepFails() async throws {
        let reloader = try await reloader { try Loaded.settings(["probe.interval": "120s"]) }
        await reloader.use([step("a"), step("b", fails: true), step("c")])
        #expect(await reloader.reload(.request) == .rejected(["the file is gone"]))
        #expect(!journal.all.contains { $0.hasSuffix("commits") })
        #expect(await reloader.running.settings.interval == .seconds(60))
        #expect(log.messages(.error) == ["Settings rejected; the previous ones stay in effect"])
    }

    @Test func sharesOneWaitingReload() async throws {
        let loads = Mutex(0)
        let gate = AsyncStream<Void>.makeStream()
        let begun = AsyncStream<Void>.makeStream()
        let reloader = try await reloader {
            let number = loads.withLock { loads in
                loads += 1
                return loads
            }
            return try Loaded.settings(["probe.interval": "\(number + 1)s"])
        }
        let isFirst = Mutex(true)
        await reloader.use([
            step("a"),
            ReloadPart<ProbeSettings> { _, _ in
                let waits = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                if waits {
                    begun.continuation.yield()
                    for await _ in gate.stream { break }
                }
                return {}
            },
        ])
        let first = Task { await reloader.reload(.signal) }
        for await _ in begun.stream { break }
        let others = (0..<50).map { _ in Task { await reloader.reload(.request) } }
        #expect(await eventually { await reloader.hasWaiting })
        gate.continuation.yield()
        _ = await first.value
        for other in others { _ = await other.value }
        let count = loads.withLock { $0 }
        // Requests that arrive after the second reload has begun share a third.
        #expect((2...3).contains(count))
        let lines = journal.all
        #expect(lines.count == 2 * count)
        for index in stride(from: 0, to: lines.count, by: 2) {
            #expect(lines[index].hasPrefix("a prepares") && lines[index + 1] == "a commits")
        }
        #expect(await reloader.running.settings.interval == .seconds(count + 1))
    }

    /// Callers may request a reload before the first one has started, and between two reloads.
    @Test func reloadsNeverOverlapWhenManyAreRequestedAtOnce() async throws {
        let loads = Mutex(0)
        let inFlight = Mutex(0)
        let overlaps = Mutex(0)
        let reloader = try await reloader {
            let number = loads.withLock { loads in
                loads += 1
                return loads
            }
            return try Loaded.settings(["probe.interval": "\(number + 1)s"])
        }
        await reloader.use([
            ReloadPart<ProbeSettings> { _, _ in
                let count = inFlight.withLock { count in
                    count += 1
                    return count
                }
                if count > 1 { overlaps.withLock { $0 += 1 } }
                for _ in 0..<20 { await Task.yield() }
                return { inFlight.withLock { $0 -= 1 } }
            }
        ])
        for _ in 0..<50 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { _ = await reloader.reload(.request) } }
            }
        }
        #expect(overlaps.withLock { $0 } == 0)
        let count = loads.withLock { $0 }
        #expect(await reloader.running.settings.interval == .seconds(count + 1))
    }

    @Test func rejectsDefaultsWhenTheFileIsMissing() async throws {
        let home = try TemporaryDirectory()
        let directory = home.path + "/.config/probe"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let path = directory + "/config.yaml"
        let text = "server:\n  auth:\n    bearer_token: s3cr3t\n"
        try Data(text.utf8).write(to: URL(filePath: path))
        let load = { @Sendable in
            try SettingsLoader(ProbeSettings.table, environment: ["HOME": home.path]).load(requiresAll: false)
        }
        let reloader = Reloader(
            running: try load(),
            instruments: try ReloadInstruments(registry: Registry(), prefix: "p", timeSource: clock.timeSource),
            timeSource: clock.timeSource,
            logger: log.logger,
            load: load
        )
        #expect(await reloader.running.configFile == path)
        try FileManager.default.removeItem(atPath: path)
        guard case .rejected(let faults) = await reloader.reload(.signal) else {
            Issue.record("the defaults were accepted")
            return
        }
        #expect(faults.first?.contains("\(path): the running settings are from this file, but it is missing") == true)
        #expect(await reloader.running.settings.server.auth.isSet)
        try Data(text.utf8).write(to: URL(filePath: path))
        let warnings = await reloader.running.warnings
        #expect(await reloader.reload(.signal) == .applied(changed: [], waiting: [], warnings: warnings))
    }

    @Test func warnsOnceAboutWeakenedAccess() async throws {
        let flags = Mutex(["server.auth.username": "prometheus", "server.auth.password": "s3cr3t"])
        let load = { @Sendable in try Loaded.settings(flags.withLock { $0 }) }
        let reloader = Reloader(
            running: try load(),
            instruments: try ReloadInstruments(registry: Registry(), prefix: "p", timeSource: clock.timeSource),
            timeSource: clock.timeSource,
            logger: log.logger,
            load: load
        )
        let known = await reloader.running.warnings
        flags.withLock { $0 = [:] }
        guard case .applied(_, _, let warnings) = await reloader.reload(.signal) else {
            Issue.record("rejected")
            return
        }
        #expect(warnings == ["server.auth.username: this reload weakens access (from prometheus to none)"])
        _ = await reloader.reload(.signal)
        let logged = log.records.filter { $0.level == .warn }.map { record in
            record.fields.all.map { "\($0.value)" }.joined()
        }
        #expect(logged.count == 1)
        #expect(!known.isEmpty && logged.allSatisfy { $0.contains("weakens access") })
    }

    @Test func logsSettingsThatNeedARestartOnce() async throws {
        let reloader = try await reloader { try Loaded.settings(["probe.interval": "60s", "server.port": "1234"]) }
        for _ in 0..<3 { _ = await reloader.reload(.signal) }
        #expect(log.messages(.warn) == ["A changed setting needs a restart"])
    }

    @Test func logsReloadsWithoutChangesOncePerMinute() async throws {
        let reloader = try await reloader { try Loaded.settings(["probe.interval": "60s"]) }
        for _ in 0..<10 { await reloader.reload(.request) }
        #expect(log.messages(.info) == ["Settings reloaded"])
        await reloader.reload(.signal)
        #expect(log.messages(.info).count == 2)
        clock.advance(by: .seconds(61))
        await reloader.reload(.request)
        #expect(log.messages(.info).count == 3)
    }

    @Test func limitsReportedFaults() async throws {
        let reloader = try await reloader {
            let many = (0..<500).map { ParsedFlag("--x\($0)", key: "x\($0)", value: "1") }
            return try SettingsLoader(ProbeSettings.table, environment: [:]).load(flags: many, requiresAll: false)
        }
        guard case .rejected(let faults) = await reloader.reload(.signal) else {
            Issue.record("unknown settings were accepted")
            return
        }
        #expect(faults.count == Reloader<ProbeSettings>.faultLimit + 1)
        #expect(faults.last == "and 400 more")
    }
}

/// Settings as flags, without a WinPower server.
enum Loaded {
    static func settings(_ values: [String: String]) throws -> LoadedSettings<ProbeSettings> {
        try SettingsLoader(ProbeSettings.table, environment: [:], files: NoFiles()).load(
            flags: values.map { ParsedFlag("--\($0.key)", key: $0.key, value: $0.value) },
            requiresAll: false
        )
    }

    private struct NoFiles: SettingsFileReader {
        func read(_ path: String, limit: Int) throws(SettingsFileError) -> SettingsFile {
            throw SettingsFileError(.missing, path: path, "tests read no files")
        }
    }
}
