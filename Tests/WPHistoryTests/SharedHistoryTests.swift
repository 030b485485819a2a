// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
@testable import WPHistory
import WPLogging
@testable import WPPostgres
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Several histories sharing a store, such as hubs behind a load balancer.
@Suite(.withPostgres, .serialized) struct SharedHistoryTests {
    enum Kind: CaseIterable {
        case memory, postgres

        static var allCases: [Kind] { [.memory] + (PostgresServer.shouldRunTests ? [.postgres] : []) }
    }

    /// The current time, because the store creates partitions by the machine's clock.
    static let start = HistoryBucket.start(of: Int64(Date().timeIntervalSince1970), step: 3600)
    let clock = TestClock(wall: Date(timeIntervalSince1970: Double(start + 3000)))

    /// Opens stores with the same content.
    private func stores(_ kind: Kind, _ count: Int) throws -> [any SharedHistoryStore] {
        switch kind {
        case .memory:
            let store = MemoryHistoryStore(isShared: true)
            return (0..<count).map { _ in store }
        case .postgres:
            let url = try #require(PostgresServer.current).database()
            return try (0..<count).map { _ in try PostgresHistoryStore.open(url, logger: .silent) }
        }
    }

    private func history(_ store: any HistoryStore) async throws -> History {
        try await History(store, timeSource: clock.timeSource, logger: .silent)
    }

    private func sample(_ offset: Int64, name: String = "a", shift: Double = 0) -> History.Sample {
        History.Sample(
            subject: HistorySubject(kind: .ups, name: name),
            time: Double(Self.start + offset) - shift,
            identity: HistoryIdentity(senderTime: Double(Self.start + offset)),
            values: [(.loadPercent, Double(offset))],
            counters: [(.energy, 100 + Double(offset))],
            document: HistoryDocument(Array("{\"at\":\(offset)}".utf8))
        )
    }

    private func found(_ history: History, _ name: String = "a") async throws -> [HistoryBucket] {
        try await history.buckets(
            of: HistorySubject(kind: .ups, name: name),
            from: Self.start - 300,
            to: Self.start + 3600
        )
    }

    @Test(arguments: Kind.allCases) func `joins samples ingested alternately by two hubs`(_ kind: Kind) async throws {
        let stores = try stores(kind, 2)
        let (first, second) = (try await history(stores[0]), try await history(stores[1]))
        for offset in stride(from: Int64(0), to: 600, by: 20) {
            first.record(sample(offset))
            second.record(sample(offset + 10))
        }
        await first.save()
        await second.save()
        for history in [first, second] {
            let buckets = try await found(history)
            #expect(buckets.map(\.start) == [Self.start, Self.start + 300])
            #expect(buckets.map(\.samples) == [30, 30])
            #expect(buckets.map { $0[.loadPercent]?.average } == [145, 445])
            // From the first sample to the last, regardless of the hub.
            #expect(buckets.compactMap { $0[.energy]?.average }.reduce(0, +) == 590.0)
        }
        for store in stores { await store.close() }
    }

    /// Ingests samples alternately at two hubs, which save in the given order: the sums of points equal those of one
    /// hub.
    @Test(arguments: Kind.allCases, [0, 3600, -3600, 40 * 86_400] as [Double])
    func `computes increases between neighbours whichever hub ingests or saves them`(
        _ kind: Kind,
        _ wrong: Double
    ) async throws {
        for stream in wrong == 0 ? [0, 7] : [Int64(7)] {
            let stores = try stores(kind, 2)
            let hubs = [try await history(stores[0]), try await history(stores[1])]
            let one = try await history(MemoryHistoryStore())
            var total = 0.0
            var sent = 0.0
            for round in 0..<60 {
                // One is reset after ten minutes.
                if round == 30 { total = 0 } else { total += Double(round) }
                if round != 30, round != 0 { sent += Double(round) }
                let time = Double(Self.start + Int64(round) * 20)
                let identity =
                    stream == 0
                    ? HistoryIdentity(senderTime: time)
                    : HistoryIdentity(stream: stream, sequence: Int64(round) * 20_000)
                let hub = round / 2 % 2
                for (history, shift) in [(hubs[hub], hub == 0 ? 0 : wrong), (one, 0)] {
                    let sample = History.Sample(
                        subject: HistorySubject(kind: .ups, name: "a"),
                        time: time + shift,
                        identity: identity,
                        counters: [(.energy, total)]
                    )
                    #expect(history.record(sample) == .recorded)
                }
                // The second hub saves first, the first hub much later.
                if round % 7 == 6 { await hubs[1].save() }
                if round % 17 == 16 { await hubs[0].save() }
            }
            await hubs[1].save()
            await hubs[0].save()
            await one.saveAll()
            let subject = HistorySubject(kind: .ups, name: "a")
            let found = try await hubs[0].buckets(of: subject, from: 0, to: 1 << 40)
            let expected = try await one.buckets(of: subject, from: 0, to: 1 << 40)
            #expect(found.compactMap { $0[.energy]?.average }.reduce(0, +) == sent)
            #expect(found.reduce(0) { $0 + $1.samples } == 60)
            if wrong == 0 {
                #expect(found.map { $0[.energy]?.average } == expected.map { $0[.energy]?.average })
            }
            for store in stores { await store.close() }
        }
    }

    @Test(arguments: Kind.allCases) func `orders samples that one hub buffered for an hour`(_ kind: Kind)
        async throws
    {
        let stores = try stores(kind, 2)
        let (first, second) = (try await history(stores[0]), try await history(stores[1]))
        func record(_ history: History, _ minute: Int) {
            let time = Double(Self.start + Int64(minute) * 60)
            let identity = HistoryIdentity(stream: 7, sequence: Int64(minute) * 60_000)
            let subject = HistorySubject(kind: .ups, name: "a")
            let sample = History.Sample(
                subject: subject,
                time: time,
                identity: identity,
                counters: [(.energy, Double(minute))]
            )
            #expect(history.record(sample) == .recorded)
        }
        for minute in 20..<40 { record(second, minute) }
        for minute in 0..<20 { record(first, minute) }
        await first.save()
        for minute in 40..<60 { record(first, minute) }
        await first.save()
        await second.save()
        let points = try await found(first)
        #expect(points.map { $0[.energy]?.average } == [4] + Array(repeating: 5, count: 11))
        #expect(first.latest(of: HistorySubject(kind: .ups, name: "a"))?.time == Double(Self.start + 59 * 60))
        for store in stores { await store.close() }
    }

    @Test(arguments: Kind.allCases) func `orders a restarted sender after its previous run`(_ kind: Kind)
        async throws
    {
        let stores = try stores(kind, 2)
        let hubs = [try await history(stores[0]), try await history(stores[1])]
        let subject = HistorySubject(kind: .ups, name: "a")
        var total = 0.0
        for (stream, numbers) in [(Int64(9), 1000..<1010), (5, 0..<10)] {
            for number in numbers {
                total += 1
                let sample = History.Sample(
                    subject: subject,
                    time: Double(Self.start),
                    identity: .init(stream: stream, sequence: Int64(number)),
                    counters: [(.energy, total)],
                    document: HistoryDocument(Array("{\"at\":\(total)}".utf8))
                )
                #expect(hubs[number % 2].record(sample) == .recorded)
            }
            await hubs[0].save()
            await hubs[1].save()
        }
        await hubs[0].save()
        let energy: Double = try await found(hubs[0]).compactMap { $0[.energy]?.average }.reduce(0, +)
        #expect(energy == 19)
        for hub in hubs {
            #expect(
                hub.latest(of: subject).map { String(decoding: $0.document.bytes, as: UTF8.self) } == "{\"at\":20.0}"
            )
        }
        for store in stores { await store.close() }
    }

    @Test(arguments: Kind.allCases) func `counts a sample ingested by both hubs once`(_ kind: Kind) async throws {
        let stores = try stores(kind, 2)
        let (first, second) = (try await history(stores[0]), try await history(stores[1]))
        for offset in stride(from: Int64(0), to: 300, by: 10) {
            first.record(sample(offset))
            // The other hub estimates the sender's clock differently.
            if offset % 20 == 0 { second.record(sample(offset, shift: 3)) }
        }
        await second.save()
        await first.save()
        let buckets = try await found(first)
        #expect(buckets.reduce(0) { $0 + $1.samples } == 30)
        let energy: Double = buckets.compactMap { $0[.energy]?.average }.reduce(0, +)
        #expect(energy == 290.0)
        for store in stores { await store.close() }
    }

    /// Two samples without a stream, and a late one between them whose sender's clock may have been set back.
    @Test(
        arguments: Kind.allCases,
        [(105, 110, 10), (500, 110, 10), (120, 5, 20), (3, 5, 2), (50, 5, 0)] as [(Double, Double, Double)]
    )
    func `counts the increase of a late sample only between its neighbours`(
        _ kind: Kind,
        _ example: (Double, Double, Double)
    ) async throws {
        let (late, after, increase) = example
        let stores = try stores(kind, 2)
        let (first, second) = (try await history(stores[0]), try await history(stores[1]))
        func record(_ offset: Int64, _ total: Double, _ history: History) {
            var sample = self.sample(offset)
            sample.counters = [(.energy, total)]
            #expect(history.record(sample) == .recorded)
        }
        record(0, 100, first)
        record(20, after, first)
        await first.save()
        record(10, late, second)
        await second.save()
        let buckets = try await found(first)
        #expect(buckets.map(\.samples) == [3])
        #expect(buckets.map { $0[.energy]?.average } == [increase])
        for store in stores { await store.close() }
    }

    @Test(arguments: Kind.allCases) func `records a subject again that another hub removed`(_ kind: Kind) async throws {
        let stores = try stores(kind, 2)
        let (first, second) = (try await history(stores[0]), try await history(stores[1]))
        for name in ["a", "b"] { first.record(sample(0, name: name)) }
        await first.save()
        await second.save()
        #expect(try await second.remove(HistorySubject(kind: .ups, name: "a")))
        for name in ["a", "b"] { first.record(sample(10, name: name)) }
        await first.save()
        #expect(try await found(second).map(\.samples) == [1])
        #expect(try await found(second, "b").map(\.samples) == [2])
        for store in stores { await store.close() }
    }

    @Test(arguments: Kind.allCases) func `each hub shows the complete fleet`(_ kind: Kind) async throws {
        let stores = try stores(kind, 2)
        let (first, second) = (try await history(stores[0]), try await history(stores[1]))
        let received = Names()
        first.onChanges { states in received.add(states.map(\.subject.name)) }
        for offset in stride(from: Int64(0), to: 60, by: 10) {
            first.record(sample(offset, name: "left"))
            second.record(sample(offset, name: "right"))
        }
        await second.save()
        await first.save()
        #expect(received.names == ["right"])
        #expect(first.latest(of: .ups).map(\.subject.name) == ["left", "right"])
        let (document, time) = try #require(first.latest(of: HistorySubject(kind: .ups, name: "right")))
        #expect(String(decoding: document.bytes, as: UTF8.self) == "{\"at\":50}")
        #expect(time == Double(Self.start + 50))
        #expect(try await found(first, "right").first?.samples == 6)
        await first.save()
        #expect(received.names == ["right"])
        for store in stores { await store.close() }
    }

    @Test(
        .enabled(if: PostgresServer.shouldRunTests, "PostgreSQL is not installed"),
        arguments: [0, 3600, -3600] as [Double]
    )
    func `dates another hub's samples by the database clock`(_ wrong: Double)
        async throws
    {
        let stores = try stores(.postgres, 2)
        let (first, second) = (try await history(stores[0]), try await history(stores[1]))
        first.record(sample(0, shift: -wrong))
        await first.save()
        let change = try #require(try await stores[1].changes().first)
        #expect(change.lastSample == Double(Self.start) + wrong)
        #expect(try #require(change.age) < 600)
        #expect(second.latest(of: change.subject) == nil)
        for store in stores { await store.close() }
    }

    @Test(arguments: Kind.allCases) func `recognizes a repeat after a restart`(_ kind: Kind) async throws {
        let stores = try stores(kind, 2)
        let before = try await history(stores[0])
        for offset in stride(from: Int64(0), to: 60, by: 10) { before.record(sample(offset)) }
        await before.save()
        let after = try await history(stores[1])
        for offset in stride(from: Int64(0), to: 70, by: 10) { after.record(sample(offset)) }
        await after.save()
        let buckets = try await found(after)
        #expect(buckets.map(\.samples) == [7])
        #expect(buckets.first?[.energy]?.average == 60)
        for store in stores { await store.close() }
    }

    @Test func `saves buffered samples in order after the database responds`() async throws {
        let store = MemoryHistoryStore(isShared: true)
        let history = try await history(store)
        store.fail(HistoryStoreError(code: .unreachable, message: "gone"))
        for offset in stride(from: Int64(0), to: 600, by: 10) {
            history.record(sample(offset))
            if offset % 100 == 0 { await history.save() }
        }
        #expect(history.status.failure?.code == .unreachable)
        #expect(history.status.pendingBuckets > 1)
        store.fail(nil)
        await history.save()
        #expect(history.status.failure == nil)
        #expect(history.status.pendingBuckets == 0)
        #expect(try await found(history).map(\.samples) == [30, 30])
    }

    @Test(.enabled(if: PostgresServer.shouldRunTests, "PostgreSQL is not installed"))
    func `loses nothing in an outage of PostgreSQL`() async throws {
        let server = try #require(PostgresServer.current)
        let store = try PostgresHistoryStore.open(try server.database(), logger: .silent)
        let history = try await history(store)
        history.record(sample(0))
        await history.save()
        try server.stop()
        for offset in stride(from: Int64(10), to: 300, by: 10) { history.record(sample(offset)) }
        await history.save()
        #expect(history.status.failure?.code == .unreachable)
        try server.start()
        // The pool backs off before a retry.
        while history.status.failure != nil { await history.save() }
        #expect(try await found(history).map(\.samples) == [30])
        await history.close()
    }

    @Test(.enabled(if: PostgresServer.shouldRunTests, "PostgreSQL is not installed"))
    func `200 concurrent writes of two hubs neither lose nor duplicate data`() async throws {
        let url = try #require(PostgresServer.current).database()
        let stores = try (0..<2).map { _ in try PostgresHistoryStore.open(url, logger: .silent) }
        await withTaskGroup { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    guard let history = try? await history(store) else { return }
                    for round in Int64(0)..<100 {
                        // Half of the samples arrive at both hubs.
                        for name in ["a", "b", "c"] {
                            history.record(sample(round * 4, name: name))
                            history.record(sample(round * 4 + 1 + Int64(index), name: name))
                        }
                        await history.save()
                    }
                }
            }
        }
        let reader = try await history(stores[0])
        for name in ["a", "b", "c"] {
            let buckets = try await found(reader, name)
            let energy: Double = buckets.compactMap { $0[.energy]?.average }.reduce(0, +)
            #expect(buckets.reduce(0) { $0 + $1.samples } == 300)
            #expect(energy == 398.0)
        }
        for store in stores { await store.close() }
    }

    @Test(.enabled(if: PostgresServer.shouldRunTests, "PostgreSQL is not installed"))
    func `removes old days by dropping their tables`() async throws {
        let server = try #require(PostgresServer.current)
        let url = try server.database()
        let store = try PostgresHistoryStore.open(url, logger: .silent)
        let today = HistoryBucket.start(of: Self.start, step: 86_400)
        for age in Int64(0)..<5 {
            try await store.write(HistoryBatch(buckets: [(ups, bucket(today - age * 86_400, load: 1, energy: 1))]))
        }
        _ = try await store.prune(before: today - 2 * 86_400, limit: 10)
        let buckets = try await store.buckets(of: ups, from: 0, to: .max, step: 1)
        #expect(buckets.map(\.start) == [today - 2 * 86_400, today - 86_400, today])
        let name = try #require("\(url.reveal())".split(separator: "=").last)
        let tables = try server.sql(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = 'winpower_history_bucket'::regclass",
            String(name)
        )
        // The last three days, and the next two in advance.
        #expect(tables.hasPrefix("5"))
        await store.close()
    }

    @Test(.enabled(if: PostgresServer.shouldRunTests, "PostgreSQL is not installed"))
    func `creates a day again that another hub dropped`() async throws {
        let stores = try stores(.postgres, 2)
        let today = HistoryBucket.start(of: Self.start, step: 86_400)
        let old = HistoryBatch(buckets: [(ups, bucket(today - 3 * 86_400, load: 1, energy: 1))])
        try await stores[0].write(old)
        _ = try await stores[1].prune(before: today, limit: 10)
        try await stores[0].write(old)
        let buckets = try await stores[0].buckets(of: ups, from: 0, to: .max, step: 1)
        #expect(buckets.map(\.samples) == [1])
        for store in stores { await store.close() }
    }

    @Test(.enabled(if: PostgresServer.shouldRunTests, "PostgreSQL is not installed"))
    func `drops the unused table of early versions`() async throws {
        let server = try #require(PostgresServer.current)
        let url = try server.database()
        let database = String(try #require("\(url.reveal())".split(separator: "=").last))
        _ = try server.sql("CREATE TABLE winpower_history_seen (time bigint) PARTITION BY RANGE (time)", database)
        let table = "winpower_history_seen"
        _ = try server.sql("CREATE TABLE \(table)_0 PARTITION OF \(table) FOR VALUES FROM (0) TO (9)", database)
        let store = try PostgresHistoryStore.open(url, logger: .silent)
        #expect(try await store.subjects().isEmpty)
        #expect(try server.sql("SELECT count(*) FROM pg_class WHERE relname LIKE '\(table)%'", database).hasPrefix("0"))
        await store.close()
    }

    @Test(.enabled(if: PostgresServer.shouldRunTests, "PostgreSQL is not installed"))
    func `clusters a completed day once, without readers`() async throws {
        let server = try #require(PostgresServer.current)
        let url = try server.database()
        let database = String(try #require("\(url.reveal())".split(separator: "=").last))
        let log = MemoryLogHandler()
        let store = try PostgresHistoryStore.open(url, orderLockTimeout: 10, logger: log.logger)
        let today = HistoryBucket.start(of: Self.start, step: 86_400)
        let day = today - 2 * 86_400
        let subjects = ["a", "b", "c"].map { HistorySubject(kind: .ups, name: $0) }
        for number in Int64(0)..<4 {
            for subject in subjects {
                try await store.write(
                    HistoryBatch(buckets: [(subject, bucket(day + number * 300, load: Double(number), energy: 1))])
                )
            }
        }
        try await store.write(HistoryBatch(buckets: [(ups, bucket(today, load: 1, energy: 1))]))
        let table = "winpower_history_bucket_\(day / 86_400)"
        let file = "SELECT pg_relation_filenode('\(table)')"
        let before = try server.sql(file, database)

        // A reader locks the partition; other programs do not wait long for it.
        let held = PostgresPool(
            PostgresConnector(library: try PostgresLibrary(), address: try PostgresAddress(parsing: url)),
            .init(maximumSessions: 1),
            logger: .silent
        )
        try await held.transaction { session throws(PostgresError) in
            _ = try await session.query("SELECT count(*) FROM \(table)")
            do { _ = try await store.prune(before: day, limit: 10) } catch { Issue.record(error) }
        }
        held.close()
        #expect(log.messages(.warn).count == 1)
        #expect(log.mentions(table))
        #expect(try server.sql(file, database) == before)

        _ = try await store.prune(before: day, limit: 10)
        let after = try server.sql(file, database)
        #expect(after != before)
        let order = try server.sql("SELECT subject FROM \(table) ORDER BY ctid", database)
        #expect(order.split(separator: "\n").joined() == "111122223333")
        for subject in subjects {
            let buckets = try await store.buckets(of: subject, from: day, to: day + 1200, step: 1)
            #expect(buckets.map { $0[.loadPercent]?.average } == [0, 1, 2, 3])
        }
        // Clusters neither a day twice nor the current day, which is still being written.
        _ = try await store.prune(before: day, limit: 10)
        #expect(try server.sql(file, database) == after)
        let ordered = "SELECT count(*) FROM pg_index WHERE indisclustered AND indrelid::regclass::text LIKE 'winpower%'"
        #expect(try server.sql(ordered, database).hasPrefix("1"))
        #expect(log.messages(.warn).count == 1)
        await store.close()
    }

    @Test(arguments: [0, 1, 7, 28, 40]) func `decodes the buckets before a truncation`(
        _ cut: Int
    ) {
        var value: [UInt8] = []
        for number in Int64(0)..<3 {
            let bytes = bucket(number * 300, load: Double(number), energy: 1).aggregateBytes
            for header in [number * 300, 300, 1] { withUnsafeBytes(of: header.bigEndian) { value += $0 } }
            withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { value += $0 }
            value += bytes
        }
        value.removeLast(cut)
        let reduction = HistoryReduction(step: 1)
        let (count, last) = value.withUnsafeBytes(reduction.addPacked)
        #expect(count == (cut == 0 ? 3 : 2))
        #expect(last == (cut == 0 ? 600 : 300))
        #expect(reduction.finish().map(\.start) == (cut == 0 ? [0, 300, 600] : [0, 300]))
    }

    @Test func `starts without a database and shows no password`() async throws {
        let url = Secret("postgresql://u:hunter22@127.0.0.1:1/d?sslmode=disable")
        let store = try PostgresHistoryStore.open(url, logger: .silent)
        let history = try await history(store)
        let failure = try #require(history.status.failure)
        #expect(failure.code == .unreachable)
        #expect(failure.message.contains("127.0.0.1"))
        #expect(!failure.message.contains("hunter22"))
        await history.close()
    }

    /// Names in order of arrival.
    private final class Names: Sendable {
        private let list = Mutex<[String]>([])
        func add(_ names: [String]) { list.withLock { $0 += names } }
        var names: [String] { list.withLock { $0 } }
    }
}
