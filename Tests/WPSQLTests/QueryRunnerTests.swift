// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPLogging
@testable import WPMetrics
import WPPostgres
@testable import WPSQL
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct QueryRunnerTests {
    /// A database with the results that a test sets.
    private final class FakeDatabase: PostgresDatabase {
        let answer = Mutex<Result<PostgresResult, PostgresError>>(.success(PostgresResult(columns: [])))
        /// The results of specific statements.
        let answers = Mutex<[String: Result<PostgresResult, PostgresError>]>([:])
        let statements = Mutex<[PostgresStatement]>([])
        /// Called before and after a statement gets its session.
        let beforeSession = Mutex<(@Sendable () -> Void)?>(nil)
        let inSession = Mutex<(@Sendable () -> Void)?>(nil)
        let waitedFor = Mutex<[String]>([])

        var runs: Int { statements.withLock(\.count) }

        func run(
            _ statement: PostgresStatement,
            onSession: @escaping @Sendable ([String]) -> Void
        ) async throws -> PostgresResult {
            statements.withLock { $0.append(statement) }
            beforeSession.withLock { $0 }?()
            onSession(waitedFor.withLock { $0 })
            inSession.withLock { $0 }?()
            if let special = answers.withLock({ $0[statement.text] }) { return try special.get() }
            return try answer.withLock { $0 }.get()
        }

        func describe(_ statement: PostgresStatement) async throws -> [PostgresColumn] {
            try answer.withLock { $0 }.get().columns
        }

        func give(_ columns: [(String, UInt32)], _ rows: [[String?]]) {
            var result = PostgresResult(columns: columns.map { PostgresColumn($0.0, typeID: $0.1) })
            for row in rows { result.append(row) }
            let whole = result
            answer.withLock { $0 = .success(whole) }
        }

        func fail(_ error: PostgresError) { answer.withLock { $0 = .failure(error) } }
    }

    private let clock = TestClock()
    private let database = FakeDatabase()
    private let registry = Registry()
    private let log = CapturingLogHandler()

    private func read(_ text: String) throws -> QueryFile {
        try QueryFileReader.read(
            Secret("databases: {db: {dsn: \"postgresql://h/d\"}}\n\(text)"),
            environment: [:],
            readFile: { _ in nil }
        )
    }

    private func runner(_ text: String, zone: TimeZoneRules = .utc, limit: Int = 100_000) throws -> QueryRunner {
        let file = try read(text)
        let families = try QueryFamilies(file, accumulatorLimit: limit, timeSource: clock)
        try registry.register(families)
        return QueryRunner(
            file,
            databases: ["db": database],
            families: families,
            instruments: try QueryInstruments(registry, file),
            zone: zone,
            timeSource: clock,
            random: { 0.5 },
            logger: Logger(handler: log, threshold: LogThreshold(.debug))
        )
    }

    private static func file(_ metric: String, _ extra: String = "") -> String {
        """
        metrics: {m: {\(metric)}}
        queries: {q: {databases: [db], metrics: [m], sql: SELECT 1, interval: 10\(extra)}}
        """
    }

    private func exposition(_ prefix: String = "m") async -> [String] {
        let text = String(decoding: ExpositionFormat.text.encode(await registry.gather().families), as: UTF8.self)
        return text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
    }

    @Test func `exposes rows as series and removes missing ones`() async throws {
        let runner = try runner(Self.file("type: gauge, labels: [a, b]"))
        database.give([("m", 20), ("a", 25), ("b", 16)], [["1", "x", "t"], ["2", "y\"", nil]])
        #expect(await runner.runOnce() == [])
        #expect(
            await exposition() == [
                "m{a=\"x\",b=\"true\",database=\"db\"} 1", "m{a=\"y\\\"\",b=\"\",database=\"db\"} 2",
            ]
        )
        database.give([("a", 25), ("b", 16), ("m", 20)], [["x", "f", "3"]])
        _ = await runner.runOnce()
        #expect(await exposition() == ["m{a=\"x\",b=\"false\",database=\"db\"} 3"])
        #expect(await exposition("query_rows") == ["query_rows{database=\"db\",query=\"q\"} 1"])
        #expect(
            await exposition("queries_total") == ["queries_total{database=\"db\",query=\"q\",status=\"success\"} 2"]
        )
    }

    @Test func `exposes only the labels of the last result, compared by bytes`() async throws {
        let runner = try runner(Self.file("type: gauge, labels: [k, ok]"))
        let columns: [(String, UInt32)] = [("k", 25), ("ok", 16), ("m", 23)]
        func run(_ rows: [[String?]]) async {
            database.give(columns, rows)
            #expect(await runner.runOnce() == [])
        }
        await run([["a", "t", "1"], ["\u{E9}", "f", "2"], [nil, nil, "3"]])
        #expect(await exposition().count == 3)
        await run([["a", "t", "4"], ["\u{E9}", "f", "5"], [nil, nil, "6"]])
        #expect(
            await exposition() == [
                "m{database=\"db\",k=\"\",ok=\"\"} 6", "m{database=\"db\",k=\"a\",ok=\"true\"} 4",
                "m{database=\"db\",k=\"\u{E9}\",ok=\"false\"} 5",
            ]
        )
        // A canonically equivalent letter, another boolean and another order are different labels.
        await run([["e\u{301}", "f", "1"], ["a", "f", "2"], ["a", "t", "3"]])
        #expect(
            await exposition() == [
                "m{database=\"db\",k=\"a\",ok=\"false\"} 2", "m{database=\"db\",k=\"a\",ok=\"true\"} 3",
                "m{database=\"db\",k=\"e\u{301}\",ok=\"false\"} 1",
            ]
        )
        // Fewer rows, and a label that one result has and the next one does not.
        await run([["a", nil, "7"]])
        #expect(await exposition() == ["m{database=\"db\",k=\"a\",ok=\"\"} 7"])
    }

    @Test(arguments: [("skip", [String]()), ("zero", ["m{database=\"db\"} 0"]), ("nan", ["m{database=\"db\"} NaN"])])
    func `treats NULL as configured`(policy: String, expected: [String]) async throws {
        let runner = try runner(Self.file("type: gauge, on_null: \(policy)"))
        database.give([("m", 20)], [[nil]])
        _ = await runner.runOnce()
        #expect(await exposition() == expected)
    }

    @Test func `exposes the last of rows with equal labels and reports duplicates`() async throws {
        let runner = try runner(Self.file("type: gauge, labels: [a]"))
        database.give([("m", 20), ("a", 25)], [["1", "x"], ["2", "y"], ["3", "x"], ["4", "x"]])
        for _ in 0..<3 { _ = await runner.runOnce() }
        #expect(await exposition() == ["m{a=\"x\",database=\"db\"} 4", "m{a=\"y\",database=\"db\"} 2"])
        #expect(await exposition("query_duplicate_rows") == ["query_duplicate_rows{database=\"db\",query=\"q\"} 2"])
        let warnings = log.records.filter { $0.level == .warn }
        #expect(warnings.count == 1)
        #expect(warnings.first?.fields["labels"] == .describing("{a=\"x\",database=\"db\"}"))
    }

    @Test func `stores series in exposition order`() async throws {
        let runner = try runner(Self.file("type: gauge, labels: [k]"))
        database.give([("k", 25), ("m", 23)], [["b", "1"], ["c", "2"], ["a", "3"]])
        #expect(await runner.runOnce() == [])
        let kept = try #require(registry.entries.compactMap { $0.immediate as? QueryFamilies }.first)
        let given = try #require(kept.collectNow().first { $0.name == "m" })
        #expect(given.metrics.map { $0.labels["k"] } == ["a", "b", "c"] as [String?])
        let shown = try #require(await registry.gather().families.first { $0.name == "m" })
        let addresses = [given, shown].map { $0.metrics.withUnsafeBufferPointer { $0.baseAddress } }
        #expect(addresses[0] == addresses[1])
    }

    @Test func `keeps the last result of a failing query and logs the failure once`() async throws {
        let runner = try runner(Self.file("type: gauge"))
        database.give([("m", 20)], [["1"]])
        _ = await runner.runOnce()
        clock.advance(by: .seconds(3600))
        #expect(await exposition() == ["m{database=\"db\"} 1"])
        database.fail(PostgresError(.timeout, "too long"))
        for _ in 0..<3 { _ = await runner.runOnce() }
        clock.advance(by: .seconds(299))
        #expect(await exposition() == ["m{database=\"db\"} 1"])
        clock.advance(by: .seconds(1))
        #expect(await exposition() == [])
        #expect(log.records.filter { $0.level == .error }.count == 1)
        #expect(
            await exposition("queries_total").contains(
                "queries_total{database=\"db\",query=\"q\",status=\"timeout\"} 3"
            )
        )
        database.give([("m", 20)], [["2"]])
        _ = await runner.runOnce()
        #expect(await exposition() == ["m{database=\"db\"} 2"])
        #expect(log.records.contains { $0.message == "A query succeeds again" })
    }

    @Test func `expires results by age if the metric has an expiration`() async throws {
        let runner = try runner(Self.file("type: gauge, expiration: 5s"))
        database.give([("m", 20)], [["1"]])
        _ = await runner.runOnce()
        clock.advance(by: .milliseconds(4999))
        #expect(await exposition().count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await exposition().isEmpty)
    }

    @Test func `expires accumulated values by their last row`() async throws {
        let runner = try runner(Self.file("type: counter, increment: true, labels: [k], expiration: 5s"))
        for (name, step) in [("a", 3), ("b", 1), ("b", 0)] {
            database.give([("k", 25), ("m", 20)], [[name, "1"]])
            _ = await runner.runOnce()
            clock.advance(by: .seconds(step))
        }
        #expect(await exposition().count == 2)
        clock.advance(by: .seconds(1))
        #expect(await exposition() == ["m_total{database=\"db\",k=\"b\"} 2"])
        clock.advance(by: .milliseconds(3999))
        #expect(await exposition().count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await exposition() == [])
    }

    @Test func `accumulates counters, histograms and summaries beyond their rows`() async throws {
        let runner = try runner(
            """
            metrics: {c: {type: counter, increment: true}, h: {type: histogram, buckets: [1, 2]}, s: {type: summary}, t: {type: counter}}
            queries: {q: {databases: [db], metrics: [c, h, s, t], sql: SELECT 1, interval: 10}}
            """
        )
        let columns: [(String, UInt32)] = [("c", 20), ("h", 20), ("s", 20), ("t", 20)]
        database.give(columns, [["2", "1", "0.5", "7"], ["3", "5", "0.25", "8"]])
        for _ in 0..<2 { _ = await runner.runOnce() }
        database.give(columns, [])
        _ = await runner.runOnce()
        #expect(await exposition("c_total") == ["c_total{database=\"db\"} 10"])
        #expect(await exposition("t_total") == [])
        #expect(await exposition("s_") == ["s_sum{database=\"db\"} 1.5", "s_count{database=\"db\"} 4"])
        #expect(
            await exposition("h_") == [
                "h_bucket{database=\"db\",le=\"1\"} 2", "h_bucket{database=\"db\",le=\"2\"} 2",
                "h_bucket{database=\"db\",le=\"+Inf\"} 4", "h_sum{database=\"db\"} 12", "h_count{database=\"db\"} 4",
            ]
        )
    }

    @Test func `an enum has a series per state`() async throws {
        let runner = try runner(Self.file("type: enum, states: [up, down]"))
        database.give([("m", 25)], [["down"]])
        _ = await runner.runOnce()
        #expect(await exposition() == ["m{database=\"db\",m=\"down\"} 1", "m{database=\"db\",m=\"up\"} 0"])
        database.give([("m", 25)], [["sideways"]])
        #expect(await runner.runOnce() == ["q on db: m: the state is not one of up, down"])
        #expect(await exposition("queries_total").last?.contains("invalid-value") == false)
        #expect(await exposition("queries_total").first?.contains("invalid-value") == true)
    }

    @Test func `fails on mismatched columns and names them`() async throws {
        let runner = try runner(Self.file("type: gauge, labels: [a]"))
        database.give([("m", 20), ("b", 25)], [["1", "x"]])
        let failures = await runner.runOnce()
        #expect(failures.first?.contains("gives the columns m, b, and its metrics need a, m") == true)
        #expect(await runner.describe().map(\.outcome) == [.mismatch])
        database.give([("m", 20), ("a", 25)], [])
        #expect(await runner.describe().map(\.outcome) == [.matches])
    }

    @Test func `keeps the phase of an interval and backs off after query errors`() async throws {
        let runner = try runner(Self.file("type: gauge"))
        database.give([("m", 20)], [["1"]])
        let run = Task { await runner.run() }
        for count in 1...3 {
            try await clock.waitForSleepers(2)
            #expect(database.runs == count)
            clock.advance(by: .seconds(10))
        }
        database.fail(PostgresError(.statement, "no such table", sqlState: "42P01"))
        for _ in 0..<30 {
            try await clock.waitForSleepers(2)
            clock.advance(by: .seconds(10))
        }
        #expect(database.runs < 12)
        #expect(database.runs >= 6)
        run.cancel()
        await run.value
    }

    @Test func `doubles the pause after each permanent error, up to five minutes`() async throws {
        let runner = try runner(Self.file("type: gauge"))
        let starts = Mutex<[Duration]>([])
        database.beforeSession.withLock {
            $0 = { [clock] in starts.withLock { $0.append(clock.timeSource.now.monotonic) } }
        }
        database.fail(PostgresError(.statement, "no such table", sqlState: "42P01"))
        let run = Task { await runner.run() }
        func advance(_ steps: Int) async throws {
            for _ in 0..<steps {
                try await clock.waitForSleepers(2)
                clock.advance(by: .seconds(10))
            }
            try await clock.waitForSleepers(2)
        }
        try await advance(154)
        // A success resets the backoff, so the next error starts with the shortest pause.
        database.give([("m", 20)], [["1"]])
        try await advance(31)
        database.fail(PostgresError(.statement, "no such table", sqlState: "42P01"))
        try await advance(7)
        let times = starts.withLock(\.self)
        let pauses = zip(times, times.dropFirst()).map { ($1 - $0).components.seconds }
        #expect(pauses.prefix(8) == [20, 40, 80, 160, 300, 300, 300, 300])
        #expect(Array(pauses.suffix(4)) == [10, 10, 20, 40])
        run.cancel()
        await run.value
    }

    @Test func `cron follows the wall clock, delayed by jitter`() async throws {
        let text = Self.file("type: gauge").replacing("interval: 10", with: "schedule: \"*/5 * * * *\", jitter: 8")
        let runner = try runner(text)
        database.give([("m", 20)], [["1"]])
        // 2025-06-15 15:06:40
        let run = Task { await runner.run() }
        for _ in 0..<10 {
            try await clock.waitForSleepers(2)
            #expect(database.runs == 0)
            clock.advance(by: .seconds(20))
        }
        // 15:10:00, and half of the jitter.
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(3))
        #expect(database.runs == 0)
        clock.advance(by: .seconds(1))
        #expect(await eventually { database.runs > 0 })
        run.cancel()
        await run.value
    }

    @Test(arguments: [
        // The clock goes from 02:00 to 03:00, and the query of 02:30 runs immediately afterwards.
        (1_774_656_000, [1_774_661_400, 1_774_746_000, 1_774_830_600]),
        // It goes from 03:00 to 02:00, and 02:30 occurs twice.
        (1_792_800_000, [1_792_801_800, 1_792_888_200, 1_792_978_200]),
    ])
    func `cron runs once a day across daylight saving`(start: Int, expected: [Int]) async throws {
        let zone = try ScheduleTests.zone(ScheduleTests.berlin)
        let text = Self.file("type: gauge").replacing("interval: 10", with: "schedule: \"30 2 * * *\"")
        clock.stepWall(by: Double(start) - clock.timeSource.now.wall.timeIntervalSince1970)
        let runner = try runner(text, zone: zone)
        database.give([("m", 20)], [["1"]])
        let run = Task { await runner.run() }
        var moments: [Int] = []
        for step in 0..<(3 * 288) {
            try await clock.waitForSleepers(2)
            // The next run may start as soon as the clock has advanced.
            if database.runs > moments.count { moments.append(start + step * 300) }
            clock.advance(by: .seconds(300))
        }
        #expect(moments == expected)
        run.cancel()
        await run.value
    }

    @Test func `rejects a result with too many accumulated label sets`() async throws {
        let runner = try runner(Self.file("type: histogram, buckets: [1], labels: [k]"), limit: 2)
        database.give([("k", 25), ("m", 20)], [["a", "1"], ["b", "1"], ["a", "1"]])
        #expect(await runner.runOnce() == [])
        database.give([("k", 25), ("m", 20)], [["a", "1"], ["c", "1"]])
        #expect(await runner.runOnce().first?.contains("more than the 2 label sets allowed") == true)
        #expect(
            await exposition("m_count") == ["m_count{database=\"db\",k=\"a\"} 2", "m_count{database=\"db\",k=\"b\"} 1"]
        )
        #expect(await exposition("queries_total").contains { $0.contains("error") })
    }

    @Test func `excludes the wait for a session from the query duration`() async throws {
        let runner = try runner(Self.file("type: gauge"))
        database.give([("m", 20)], [["1"]])
        database.beforeSession.withLock { $0 = { [clock] in clock.advance(by: .seconds(3)) } }
        database.inSession.withLock { $0 = { [clock] in clock.advance(by: .seconds(2)) } }
        #expect(await runner.runOnce() == [])
        let labels = "{database=\"db\",query=\"q\"}"
        #expect(await exposition("query_duration_seconds_sum") == ["query_duration_seconds_sum\(labels) 2"])
        #expect(await exposition("query_wait_seconds_sum") == ["query_wait_seconds_sum\(labels) 3"])
        let record = log.records.first { $0.level == .debug && $0.message == "A query succeeded" }
        #expect(record?.fields["took_ms"] == .milliseconds(.seconds(2)))
        #expect(record?.fields["rows"] == .int(1))
    }

    @Test(arguments: [true, false])
    func `reports whether skipped runs are due to a slow query or to waiting`(waits: Bool) async throws {
        let runner = try runner(Self.file("type: gauge"))
        database.give([("m", 20)], [["1"]])
        let takes = { @Sendable [clock] in clock.advance(by: .seconds(25)) }
        if waits { database.beforeSession.withLock { $0 = takes } } else { database.inSession.withLock { $0 = takes } }
        database.waitedFor.withLock { $0 = ["slow"] }
        let run = Task { await runner.run() }
        // The first run lasts 25 s; skipped runs are reported when the next one begins, at 30 s.
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        #expect(await eventually { log.records.contains { $0.level == .warn } })
        let warning = try #require(log.records.first { $0.level == .warn })
        #expect(warning.message.contains(waits ? "waits longer than its interval for a session" : "takes longer"))
        #expect(warning.fields["waits_for"] == (waits ? .string("slow") : nil))
        #expect(warning.fields["waited_ms"] == (waits ? .milliseconds(.seconds(25)) : nil))
        #expect(warning.fields["took_ms"] == .milliseconds(.seconds(25)))
        #expect(warning.fields["skipped"] == .int(2))
        run.cancel()
        await run.value
    }

    @Test func `counts every query`() async throws {
        let file = try read(Self.file("type: gauge"))
        let instruments = try QueryInstruments(registry, file)
        for number in 0...10_000 { instruments.ended(["db", "q\(number)"], "success") }
        #expect(await exposition("queries_total").count == 10_001)
    }

    private static let sets = """
        metrics: {m: {type: gauge, labels: [k]}}
        queries: {q: {databases: [db], metrics: [m], sql: "SELECT :p", interval: 10, parameters: [{p: 1}, {p: 2}]}}
        """

    @Test func `reports parameter sets with equal rows and always exposes the same one`() async throws {
        let runner = try runner(Self.sets)
        let row = { (value: String) -> PostgresResult in
            var result = PostgresResult(columns: [PostgresColumn("k", typeID: 25), PostgresColumn("m", typeID: 20)])
            result.append(["a", value])
            return result
        }
        database.answers.withLock { $0 = ["SELECT 1": .success(row("1")), "SELECT 2": .success(row("2"))] }
        for _ in 0..<10 {
            #expect(await runner.runOnce() == [])
            #expect(await exposition() == ["m{database=\"db\",k=\"a\"} 2"])
        }
        #expect(log.records.contains { $0.level == .warn && $0.message.contains("another query or set of parameters") })
        #expect(await exposition("query_rows") == ["query_rows{database=\"db\",query=\"q\"} 2"])
        #expect(await exposition("query_last_success").count == 1)
    }

    @Test func `the success of one parameter set does not hide the failure of another`() async throws {
        let runner = try runner(Self.sets)
        database.give([("m", 20), ("k", 25)], [["1", "a"]])
        database.answers.withLock { $0 = ["SELECT 2": .failure(PostgresError(.timeout, "too long"))] }
        #expect(await runner.runOnce() == ["q (parameters 2 of 2) on db: too long"])
        #expect(await exposition("query_last_success").isEmpty)
        #expect(log.records.contains { $0.fields["query"] == .string("q (parameters 2 of 2)") })
    }

    @Test(arguments: ["40001", "40P01", "22012"])
    func `does not back off after transient errors`(sqlState: String) async throws {
        let runner = try runner(Self.file("type: gauge"))
        database.fail(PostgresError(.statement, "it may succeed the next time", sqlState: sqlState))
        let run = Task { await runner.run() }
        for count in 1...20 {
            try await clock.waitForSleepers(2)
            #expect(database.runs == count)
            clock.advance(by: .seconds(10))
        }
        run.cancel()
        await run.value
    }

    @Test(arguments: ["interval: 1d", "schedule: \"* * * * *\"", "interval: 1h, align: true"])
    func `retries an unreachable database soon`(schedule: String) async throws {
        let runner = try runner(Self.file("type: gauge").replacing("interval: 10", with: schedule))
        database.fail(PostgresError(.connect, "connection refused"))
        let run = Task { await runner.run() }
        while database.runs == 0 {
            try await clock.waitForSleepers(2)
            guard database.runs == 0 else { break }
            clock.advance(by: .seconds(20))
        }
        // After 0.5, 1.5, 3.5 and 7.5 seconds; then every 15 s.
        for _ in 0..<16 {
            try await clock.waitForSleepers(2)
            clock.advance(by: .milliseconds(500))
        }
        try await clock.waitForSleepers(2)
        #expect(database.runs == 5)
        database.give([("m", 20)], [["1"]])
        while await exposition().isEmpty {
            try await clock.waitForSleepers(2)
            clock.advance(by: .milliseconds(500))
        }
        #expect(database.runs == 6)
        run.cancel()
        await run.value
    }

    @Test func `doubles the pause after each failed connection, up to fifteen seconds`() async throws {
        let runner = try runner(Self.file("type: gauge").replacing("interval: 10", with: "interval: 1d"))
        let starts = Mutex<[Duration]>([])
        database.beforeSession.withLock {
            $0 = { [clock] in starts.withLock { $0.append(clock.timeSource.now.monotonic) } }
        }
        database.fail(PostgresError(.connect, "connection refused"))
        let run = Task { await runner.run() }
        for _ in 0..<92 {
            try await clock.waitForSleepers(2)
            clock.advance(by: .milliseconds(500))
        }
        try await clock.waitForSleepers(2)
        let times = starts.withLock(\.self)
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(pauses == [0.5, 1, 2, 4, 8, 15, 15].map { .seconds($0) })
        run.cancel()
        await run.value
    }

    @Test func `a reload keeps the results and schedules of unchanged queries`() async throws {
        let first = """
            metrics: {m: {type: gauge}, n: {type: gauge}, h: {type: counter, increment: true}}
            queries:
              daily: {databases: [db], metrics: [m], sql: SELECT 1, interval: 1d}
              timed: {databases: [db], metrics: [h], sql: SELECT 2, interval: 10}
              changes: {databases: [db], metrics: [n], sql: SELECT 3, interval: 10}
            """
        let runner = try runner(first)
        let result = { (name: String, value: String) -> PostgresResult in
            var result = PostgresResult(columns: [PostgresColumn(name, typeID: 20)])
            result.append([value])
            return result
        }
        database.answers.withLock { answers in
            answers["SELECT 1"] = .success(result("m", "1"))
            answers["SELECT 2"] = .success(result("h", "5"))
            answers["SELECT 3"] = .success(result("n", "3"))
        }
        let run = Task { await runner.run() }
        try await clock.waitForSleepers(4)
        #expect(database.runs == 3)
        clock.advance(by: .seconds(4))
        // The new statement fails; the last result of the old one is shown until it succeeds.
        database.fail(PostgresError(.timeout, "too long"))
        let file = try read(first.replacing("SELECT 3", with: "SELECT 4"))
        let registry = Registry()
        let families = try QueryFamilies(file, timeSource: clock)
        try registry.register(families)
        await runner.replace(
            file,
            databases: ["db": database],
            families: families,
            instruments: try QueryInstruments(registry, file),
            zone: .utc
        )
        func shown(_ name: String) async -> String? {
            let text = String(decoding: ExpositionFormat.text.encode(await registry.gather().families), as: UTF8.self)
            return text.split(separator: "\n").first { $0.hasPrefix(name + "{") }.map(String.init)
        }
        #expect(await eventually { database.runs >= 4 })
        #expect(await shown("m") == "m{database=\"db\"} 1")
        #expect(await shown("n") == "n{database=\"db\"} 3")
        #expect(await shown("h_total") == "h_total{database=\"db\"} 5")
        #expect(database.statements.withLock { $0.map(\.text) }.dropFirst(3) == ["SELECT 4"])
        // The counting query keeps its schedule and does not run at the reload.
        try await clock.waitForSleepers(4)
        clock.advance(by: .seconds(6))
        #expect(await eventually { await shown("h_total") != "h_total{database=\"db\"} 5" })
        #expect(await shown("h_total") == "h_total{database=\"db\"} 10")
        #expect(database.statements.withLock { $0.filter { $0.text == "SELECT 1" }.count } == 1)
        run.cancel()
        await run.value
    }

    @Test func `reports cron times that pass while a query runs`() async throws {
        let runner = try runner(Self.file("type: gauge").replacing("interval: 10", with: "schedule: \"* * * * *\""))
        database.give([("m", 20)], [["1"]])
        database.inSession.withLock { $0 = { [clock] in clock.advance(by: .seconds(150)) } }
        let run = Task { await runner.run() }
        while database.runs == 0 {
            try await clock.waitForSleepers(2)
            guard database.runs == 0 else { break }
            clock.advance(by: .seconds(20))
        }
        #expect(await eventually { log.records.contains { $0.level == .warn } })
        #expect(log.records.first { $0.level == .warn }?.fields["skipped"] == .int(2))
        run.cancel()
        await run.value
    }

    @Test(arguments: [
        (0.5, 25_200, 25_200), (25_200, 25_200, 50_400), (76_000, 25_200, 86_400), (86_400, 25_200, 111_600),
        (10.2, 10, 20), (-5, 10, 0), (100_000, 172_800, 172_800), (90_000, 86_400, 172_800),
    ])
    func `aligned runs are multiples of the interval since midnight`(moment: Double, interval: Int, next: Int) {
        #expect(QuerySchedule.aligned(after: moment, every: interval) == next)
    }

    @Test func `a query without a schedule runs at startup and on each scrape`() async throws {
        let runner = try runner(Self.file("type: gauge").replacing(", interval: 10", with: ""))
        database.give([("m", 20)], [["1"]])
        let run = Task { await runner.run() }
        #expect(await eventually { database.runs > 0 })
        _ = await exposition()
        #expect(await eventually { database.runs > 1 })
        run.cancel()
        await run.value
        #expect(database.runs == 2)
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        guard let index = indices.first(where: { self[$0...].hasPrefix(part) }) else { return self }
        return self[..<index] + other + self[self.index(index, offsetBy: part.count)...]
    }
}
