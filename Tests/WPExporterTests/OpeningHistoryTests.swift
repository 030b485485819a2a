// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCollector
import WPConfig
import WPCore
@testable import WPExporter
import WPFleet
import WPHTTP
import WPHistory
import WPLogging
import WPModel
@testable import WPProgram
import WPServer
import WPSettings
import WPTestKit

/// Opens a history on request of the test.
private final class SlowOpener: Sendable {
    let store = WatchedStore()
    private let released: AsyncStream<HistoryStoreError?>
    private let release: AsyncStream<HistoryStoreError?>.Continuation
    private let timeSource: any TimeSource

    init(timeSource: any TimeSource = SystemTimeSource()) {
        self.timeSource = timeSource
        (released, release) = AsyncStream.makeStream()
    }

    /// Completes the opening with a history or an error.
    func finish(_ error: HistoryStoreError? = nil) {
        release.yield(error)
    }

    func open() async throws -> HistoryService { try await open(store) }

    func open(_ store: any HistoryStore) async throws -> HistoryService {
        var results = released.makeAsyncIterator()
        if let error = await results.next() ?? nil { throw error }
        let history = try await History(store, timeSource: timeSource, logger: .silent)
        let fleet = Fleet(history, timeSource: timeSource)
        return HistoryService(history: history, fleet: fleet, api: FleetAPI(fleet))
    }

    func parts() -> Exporter.Parts {
        var parts = Exporter.Parts(program: ProgramParts(timeSource: timeSource))
        parts.openHistory = { try await self.open() }
        return parts
    }
}

/// An in-memory history that signals its closing.
private final class WatchedStore: HistoryStore {
    private let memory = MemoryHistoryStore()
    private let (closings, closing) = AsyncStream<Void>.makeStream()

    /// Waits until it has been closed.
    func closed() async {
        for await _ in closings { return }
    }

    func write(_ batch: HistoryBatch) async throws { try await memory.write(batch) }
    func subjects() async throws -> [HistorySubjectState] { try await memory.subjects() }
    func read(of subject: HistorySubject, from: Int64, to: Int64, into reduction: HistoryReduction) async throws {
        try await memory.read(of: subject, from: from, to: to, into: reduction)
    }
    func prune(before: Int64, limit: Int) async throws -> Int { try await memory.prune(before: before, limit: limit) }
    func remove(_ subject: HistorySubject) async throws -> Bool { false }
    func statistics() async throws -> HistoryStatistics { try await memory.statistics() }
    func retentionTime() async throws -> Double? { try await memory.retentionTime() }
    func agree(onRetentionTime time: Double) async throws -> Double { try await memory.agree(onRetentionTime: time) }
    func write(_ events: [HistoryEvent]) async throws { try await memory.write(events) }
    func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent] { try await memory.events(query) }
    func close() async { closing.yield() }
}

/// An in-memory history whose writes fail.
private struct FailingStore: HistoryStore {
    private let memory = MemoryHistoryStore()

    func write(_ batch: HistoryBatch) async throws { throw HistoryStoreError(code: .full, message: "the disk is full") }
    func subjects() async throws -> [HistorySubjectState] { [] }
    func read(of subject: HistorySubject, from: Int64, to: Int64, into reduction: HistoryReduction) async throws {}
    func prune(before: Int64, limit: Int) async throws -> Int { 0 }
    func remove(_ subject: HistorySubject) async throws -> Bool { false }
    func statistics() async throws -> HistoryStatistics { try await memory.statistics() }
    func retentionTime() async throws -> Double? { nil }
    func agree(onRetentionTime time: Double) async throws -> Double { time }
    func write(_ events: [HistoryEvent]) async throws {}
    func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent] { [] }
    func close() async {}
}

extension HTTPResponse {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}

@Suite("A history that opens while the exporter serves", .timeLimit(.minutes(2)))
struct OpeningHistoryTests {
    private static let failure = HistoryStoreError(code: .locked, message: "another process holds it")
    private static let devices = "/api/v2/clusters/default/ups"

    @Test func servesEverythingExceptTheAPIWhileOpening() async throws {
        let opener = SlowOpener()
        let stack = try await Stack(parts: opener.parts())
        #expect(try await stack.get("/metrics").status == .ok)
        #expect(try await stack.get("/health").status == .ok)
        #expect(try await stack.get("/").text.contains("<script"))
        async let waiting = stack.get(Self.devices)
        opener.finish()
        let answer = try await waiting
        #expect(answer.status == .ok)
        #expect(try await stack.get("/").text.contains("<script"))
        try await stack.stop()
    }

    @Test func respondsWithRetryAfterWhenOpeningIsSlow() async throws {
        let clock = TestClock()
        let opener = SlowOpener(timeSource: clock)
        let stack = try await Stack(parts: opener.parts())
        async let waiting = stack.get(Self.devices)
        // The request's timeout, and the timer of the log message.
        try await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(4999))
        try await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(1))
        let answer = try await waiting
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.headers["Retry-After"] == "5")
        #expect(answer.text == "{\"error\":\"the history is still being opened\"}\n")
        #expect(!stack.log.mentions("still being opened"))
        opener.finish()
        // This request also waits until the history is open.
        #expect(try await stack.get(Self.devices).status == .ok)
        try await stack.stop()
    }

    @Test func logsSlowOpening() async throws {
        let (opener, clock, log) = (SlowOpener(), TestClock(), CapturingLogHandler())
        let history = OpeningHistory(timeSource: clock, logger: log.logger) { try await opener.open() }
        history.begin()
        try await clock.waitForSleepers()
        async let watched: Void = history.settled(within: .seconds(10))
        try await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(9999))
        try await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(1))
        await watched
        // Both sleepers were woken; the one that logs may run later.
        #expect(await eventually { !log.messages().isEmpty })
        opener.finish()
        await history.settled()
        #expect(log.messages() == ["The history is still being opened; its API answers 503 until then"])
        await history.close()
    }

    @Test func logsAFailedOpeningAndServesTheRest() async throws {
        let opener = SlowOpener()
        let stack = try await Stack(parts: opener.parts())
        async let waiting = stack.get(Self.devices)
        opener.finish(Self.failure)
        #expect(try await waiting.status == .notFound)
        #expect(stack.log.messages().contains("The history is disabled"))
        #expect(stack.log.mentions("another process holds it"))
        #expect(try await stack.get(Self.devices).status == .notFound)
        let landing = try await stack.get("/")
        #expect(landing.status == .ok)
        #expect(!landing.text.contains("<script"))
        #expect(landing.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'; style-src") == true)
        #expect(landing.headers["X-Content-Type-Options"] == "nosniff")
        #expect(landing.headers["Referrer-Policy"] == "no-referrer")
        #expect(try await stack.get("/metrics").status == .ok)
        try await stack.stop()
    }

    @Test func reportsTheStatusInHealth() async throws {
        let clock = TestClock()
        let opener = SlowOpener(timeSource: clock.timeSource)
        let failing = FailingStore()
        let history = OpeningHistory(timeSource: clock.timeSource, logger: .silent) { try await opener.open(failing) }
        #expect(history.health == HistoryHealth(state: .opening))
        history.begin()
        opener.finish()
        await history.settled()
        #expect(history.health == HistoryHealth(state: .open))
        history.record(CycleReport(Self.snapshot(100, clock.timeSource.now)))
        let since = clock.timeSource.now
        await history.service?.history.saveAll()
        clock.advance(by: .seconds(60))
        #expect(history.health == HistoryHealth(state: .failing, since: since))
        await history.close()
        #expect(history.health == nil)
    }

    @Test func reportsTheTimeOfFailureInHealth() async throws {
        let clock = TestClock()
        let opener = SlowOpener(timeSource: clock.timeSource)
        let stack = try await Stack(parts: opener.parts())
        #expect(try await stack.get("/health").text.contains("\"state\":\"opening\""))
        async let waiting = stack.get(Self.devices)
        let since = RFC3339.string(clock.timeSource.now.wall)
        opener.finish(Self.failure)
        #expect(try await waiting.status == .notFound)
        clock.advance(by: .seconds(60))
        let answer = try await stack.get("/health").text
        #expect(answer.contains("\"since\":\"\(since)\",\"state\":\"failed\""), "\(answer)")
        #expect(answer.contains("\"status\":\"degraded\""), "\(answer)")
        try await stack.stop()
    }

    @Test func continuesWithoutAHistory() async throws {
        let opener = SlowOpener()
        let log = CapturingLogHandler()
        let history = OpeningHistory(logger: log.logger) { try await opener.open() }
        history.begin()
        let ended = Mutex(false)
        let run = Task {
            await history.run()
            ended.withLock { $0 = true }
        }
        opener.finish(Self.failure)
        await history.settled()
        for _ in 0..<100 { await Task.yield() }
        #expect(!ended.withLock { $0 })
        run.cancel()
        await run.value
        await history.close()
    }

    @Test func recordsCollectionsMadeWhileOpening() async throws {
        let clock = TestClock()
        let opener = SlowOpener(timeSource: clock.timeSource)
        let history = OpeningHistory(logger: .silent) { try await opener.open() }
        history.begin()
        for watts in [100.0, 200] {
            history.record(CycleReport(Self.snapshot(watts, clock.timeSource.now)))
            clock.advance(by: .seconds(5))
        }
        opener.finish()
        await history.settled()
        history.record(CycleReport(Self.snapshot(600, clock.timeSource.now)))
        await history.close()
        #expect(history.service == nil)
        let buckets = try await opener.store.buckets(of: Self.subject, from: 0, to: .max, step: 1)
        #expect(buckets.map(\.samples) == [3])
        #expect(buckets.first?[.loadWatts]?.average == 300.0)
    }

    @Test func dropsTheOldestQueuedCollections() async throws {
        let (clock, log) = (TestClock(), CapturingLogHandler())
        let opener = SlowOpener(timeSource: clock.timeSource)
        let history = OpeningHistory(logger: log.logger) { try await opener.open() }
        history.begin()
        for watts in 0..<62 {
            history.record(CycleReport(Self.snapshot(Double(watts), clock.timeSource.now)))
            clock.advance(by: .milliseconds(100))
        }
        opener.finish()
        await history.settled()
        await history.close()
        let buckets = try await opener.store.buckets(of: Self.subject, from: 0, to: .max, step: 1)
        #expect(buckets.map(\.samples) == [60])
        #expect(buckets.first?[.loadWatts]?.minimum == 2.0)
        // The history is open before this is logged.
        let message = "The history took a long time to open; the oldest collections are missing from it"
        #expect(await eventually { log.messages() == [message] })
    }

    @Test func appliesAReloadWhileOpening() async throws {
        let opener = SlowOpener()
        let stack = try await Stack(parts: opener.parts())
        stack.change(["server.auth.bearer_token": "a-new-token-of-some-length"])
        guard case .applied = await stack.reload() else {
            Issue.record("the reload was rejected")
            return
        }
        // Unauthorized clients are rejected immediately.
        #expect(try await stack.get(Self.devices).status == .unauthorized)
        async let waiting = stack.get(
            Self.devices,
            headers: ["Authorization": "Bearer a-new-token-of-some-length"]
        )
        opener.finish()
        let answer = try await waiting
        #expect(answer.status == .ok)
        #expect(try await stack.get(Self.devices).status == .unauthorized)
        try await stack.stop()
    }

    @Test func appliesATariffOnReload() async throws {
        let opener = SlowOpener()
        opener.finish()
        let stack = try await Stack(parts: opener.parts())
        #expect(try await !stack.get(Self.devices).text.contains("tariff"))
        stack.change(["energy.tariff": "0.25"])
        guard case .applied = await stack.reload() else {
            Issue.record("the reload was rejected")
            return
        }
        #expect(try await stack.get(Self.devices).text.contains(#""tariff":0.25"#))
        try await stack.stop()
    }

    @Test func limitsTheShutdownAndClosesALateHistory() async throws {
        let (opener, clock, log) = (SlowOpener(), TestClock(), CapturingLogHandler())
        let history = OpeningHistory(timeSource: clock, logger: log.logger) { try await opener.open() }
        history.begin()
        history.record(CycleReport(Self.snapshot(100, clock.timeSource.now)))
        let run = Task { await history.run() }
        try await clock.waitForSleepers()
        run.cancel()
        await run.value
        async let closing: Void = history.close()
        try await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(1999))
        try await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(1))
        await closing
        #expect(
            log.messages() == [
                "The history was still being opened at shutdown; the collections since the start are missing from it"
            ]
        )
        #expect(history.service == nil)
        // The store still opens, and is closed at once.
        opener.finish()
        await opener.store.closed()
        #expect(history.service == nil)
    }

    @Test func waitsForAQuickOpeningOnShutdown() async throws {
        let (opener, clock) = (SlowOpener(), TestClock())
        let history = OpeningHistory(timeSource: clock, logger: .silent) { try await opener.open() }
        history.begin()
        history.record(CycleReport(Self.snapshot(100, SystemTimeSource().now)))
        async let closing: Void = history.close()
        try await clock.waitForSleepers(2)
        opener.finish()
        await closing
        await opener.store.closed()
        #expect(try await opener.store.subjects().map(\.subject) == [Self.subject])
    }

    @Test func opensOnceTheServerListens() async throws {
        let log = CapturingLogHandler()
        let (openings, opening) = AsyncStream<[String]>.makeStream()
        let exporter = try await Self.exporter(log) { opening.yield(log.messages()) }
        let serving = Task { try await exporter.serve() }
        var opened = openings.makeAsyncIterator()
        let logged = try #require(await opened.next())
        #expect(logged.contains("Listening"))
        serving.cancel()
        try await serving.value
        try await exporter.finish()
    }

    @Test func opensNoHistoryWithoutServing() async throws {
        let log = CapturingLogHandler()
        let openings = Mutex(0)
        let exporter = try await Self.exporter(log) { openings.withLock { $0 += 1 } }
        // If it were being opened, `finish` would wait for it.
        try await exporter.finish()
        #expect(openings.withLock { $0 } == 0)
        #expect(!log.mentions("history"))
    }

    @Test func opensOnceAndNeverAfterShutdown() async throws {
        for isClosed in [false, true] {
            let opener = SlowOpener()
            let openings = Mutex(0)
            let history = OpeningHistory(logger: .silent) {
                openings.withLock { $0 += 1 }
                return try await opener.open()
            }
            if isClosed { await history.close() }
            history.begin()
            history.begin()
            opener.finish()
            await history.settled()
            for _ in 0..<100 { await Task.yield() }
            #expect(openings.withLock { $0 } == (isClosed ? 0 : 1))
            await history.close()
        }
    }

    /// An exporter whose history cannot be opened.
    private static func exporter(
        _ log: CapturingLogHandler,
        onOpening: @escaping @Sendable () -> Void
    ) async throws -> Exporter {
        var settings = ExporterSettings()
        settings.server.host = "127.0.0.1"
        settings.server.port = 0
        var parts = Exporter.Parts(
            source: FakeDeviceSource(),
            store: FakeEnergyStore(),
            program: ProgramParts(logger: log.logger)
        )
        parts.openHistory = {
            onOpening()
            throw failure
        }
        return try await Exporter(loaded: try settings.checked, parts: parts)
    }

    private static let subject = HistorySubject(kind: .ups, name: "ups-1")

    private static func snapshot(_ watts: Double, _ time: TimePoint) -> CollectionSnapshot {
        CollectionSnapshot(readings: [.sample(watts: watts, time: time)])
    }
}
