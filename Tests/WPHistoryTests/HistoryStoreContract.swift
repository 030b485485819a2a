// SPDX-License-Identifier: MIT

import Testing
import WPHistory
import WPLogging
import WPTestKit

/// The contract of `HistoryStore`, tested with every implementation.
@Suite(.withPostgres) struct HistoryStoreContract {
    enum Kind: CaseIterable {
        case memory, sqlite, postgres

        static var allCases: [Kind] { [.memory, .sqlite] + (PostgresServer.isWanted ? [.postgres] : []) }
    }

    @Test(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
    func `PostgreSQL fulfils the contract`() {
        #expect(Kind.allCases.contains(.postgres))
    }

    /// Runs a test with a new store.
    private func with(_ kind: Kind, _ test: (any HistoryStore) async throws -> Void) async throws {
        switch kind {
        case .memory: try await test(MemoryHistoryStore())
        case .sqlite:
            let directory = try TemporaryDirectory()
            let path = directory.file("history.db")
            let store = try await SQLiteHistoryStore.open(.init(path: path, syncWrites: false), logger: .silent)
            try await test(store)
            await store.close()
        case .postgres:
            let server = try #require(PostgresServer.current)
            let store = try PostgresHistoryStore.open(try server.database(), logger: .silent)
            try await test(store)
            await store.close()
        }
    }

    @Test(arguments: Kind.allCases) func `reads a bucket as it was saved`(_ kind: Kind) async throws {
        try await with(kind) { store in
            try await store.write(HistoryBatch(buckets: [(ups, bucket(600, load: 40, energy: 1.25))]))
            #expect(
                try await store.buckets(of: ups, from: 0, to: 1000, step: 1) == [bucket(600, load: 40, energy: 1.25)]
            )
        }
    }

    @Test(arguments: Kind.allCases) func `joins the parts of a bucket`(_ kind: Kind) async throws {
        try await with(kind) { store in
            try await store.write(HistoryBatch(buckets: [(ups, bucket(600, load: 40, energy: 1))]))
            try await store.write(HistoryBatch(buckets: [(ups, bucket(600, load: 50, energy: 2))]))
            let joined = try #require(try await store.buckets(of: ups, from: 0, to: 1000, step: 1).first)
            #expect(joined.samples == 2)
            #expect(joined[.loadPercent]?.average == 45)
            #expect(joined[.loadPercent]?.minimum == 40)
            #expect(joined[.loadPercent]?.maximum == 50)
            #expect(joined[.energy]?.average == 3)
        }
    }

    @Test(arguments: Kind.allCases) func `merges buckets per step and keeps gaps`(_ kind: Kind) async throws {
        try await with(kind) { store in
            let loads: [(Int64, Double)] = [(0, 10), (300, 20), (1800, 30)]
            try await store.write(HistoryBatch(buckets: loads.map { (ups, bucket($0.0, load: $0.1, energy: 1)) }))
            let joined = try await store.buckets(of: ups, from: 0, to: 3600, step: 600)
            #expect(joined.map(\.start) == [0, 1800])
            #expect(joined.map(\.seconds) == [600, 600])
            #expect(joined.first?[.loadPercent]?.average == 15)
            #expect(joined.first?[.energy]?.average == 2)
        }
    }

    @Test(arguments: Kind.allCases) func `a range includes its start and excludes its end`(_ kind: Kind) async throws {
        try await with(kind) { store in
            try await store.write(
                HistoryBatch(buckets: [900, 0, 600, 300].map { (ups, bucket($0, load: 1, energy: 0)) })
            )
            let found = try await store.buckets(of: ups, from: 300, to: 900, step: 1)
            #expect(found.map(\.start) == [300, 600])
        }
    }

    @Test(arguments: Kind.allCases) func `distinguishes subjects by kind and site`(_ kind: Kind) async throws {
        try await with(kind) { store in
            let subjects = [
                HistorySubject(kind: .node, name: "a"), HistorySubject(kind: .ups, name: "a"),
                HistorySubject(kind: .ups, site: "b", name: "a"),
            ]
            for (index, subject) in subjects.enumerated() {
                try await store.write(
                    HistoryBatch(buckets: [(subject, bucket(0, load: Double(index), energy: 0))])
                )
            }
            for (index, subject) in subjects.enumerated() {
                let found = try await store.buckets(of: subject, from: 0, to: 300, step: 1)
                #expect(found.map { $0[.loadPercent]?.average } == [Double(index)])
            }
        }
    }

    @Test(arguments: Kind.allCases, ["../../etc/passwd", "", "机房 ups\u{0}'; DROP TABLE bucket;--", "\u{202E}x"])
    func `accepts any text as a name`(_ kind: Kind, _ name: String) async throws {
        try await with(kind) { store in
            let state = HistorySubjectState(
                subject: HistorySubject(kind: .node, site: name, name: name),
                lastSample: 1.5,
                counters: [.energy: 0.1],
                document: Array("{}".utf8)
            )
            try await store.write(HistoryBatch(subjects: [state]))
            try await store.write(HistoryBatch(subjects: [state]))
            #expect(try await store.subjects() == [state])
        }
    }

    @Test(arguments: Kind.allCases) func `distinguishes canonically equivalent names`(_ kind: Kind)
        async throws
    {
        try await with(kind) { store in
            let composed = HistorySubject(kind: .ups, site: "S", name: "caf\u{E9}")
            let decomposed = HistorySubject(kind: .ups, site: "S", name: "cafe\u{301}")
            #expect(composed != decomposed)
            try await store.write(
                HistoryBatch(
                    buckets: [
                        (composed, bucket(600, load: 40, energy: 1)), (decomposed, bucket(600, load: 80, energy: 2)),
                    ],
                    subjects: [composed, decomposed].map { HistorySubjectState(subject: $0, lastSample: 600) }
                )
            )
            #expect(try await store.subjects().map(\.subject) == [decomposed, composed])
            let loads = [
                try await store.buckets(of: composed, from: 0, to: 1000, step: 1),
                try await store.buckets(of: decomposed, from: 0, to: 1000, step: 1),
            ].map { $0.first?[.loadPercent]?.average }
            #expect(loads == [40, 80])
        }
    }

    @Test(arguments: Kind.allCases) func `reads the retention time as it was stored`(_ kind: Kind) async throws {
        try await with(kind) { store in
            let before = try await store.retentionTime()
            let agreed = try await store.agree(onRetentionTime: 1_600_000_000.25)
            let after = try await store.retentionTime()
            #expect(before == nil)
            #expect(agreed == 1_600_000_000.25)
            #expect(after == 1_600_000_000.25)
        }
    }

    @Test(arguments: Kind.allCases) func `removes points in the future and keeps their energy`(_ kind: Kind)
        async throws
    {
        guard kind != .memory else { return }
        try await with(kind) { store in
            let starts: [Int64] = [0, 300, 600, 90_000, 180_000]
            try await store.write(
                HistoryBatch(
                    buckets: starts.map { (ups, bucket($0, load: 40, energy: 1.5)) } + [
                        (node, bucket(300, load: 1, energy: 0))
                    ],
                    subjects: [HistorySubjectState(subject: ups, lastSample: 180_001)]
                )
            )
            let removed =
                kind == .sqlite
                ? try await (store as? SQLiteHistoryStore)?.removeFuture(after: 300)
                : try await (store as? PostgresHistoryStore)?.removeFuture(after: 300)
            #expect(removed == 3)
            let left = try await store.buckets(of: ups, from: 0, to: .max, step: 1)
            #expect(left.map(\.start) == [0, 300])
            #expect(left.map { $0[.energy]?.average } == [1.5, 6])
            #expect(left.map(\.samples) == [1, 1])
            #expect(try await store.subjects().first { $0.subject == ups }?.lastSample == 300)
        }
    }

    @Test(arguments: Kind.allCases) func `removes a subject with its points only`(_ kind: Kind)
        async throws
    {
        try await with(kind) { store in
            let states = [ups, node].map { HistorySubjectState(subject: $0, lastSample: 600) }
            let batch = HistoryBatch(
                buckets: [(ups, bucket(600, load: 40, energy: 1)), (node, bucket(600, load: 1, energy: 0))],
                subjects: states
            )
            try await store.write(batch)
            #expect(try await store.remove(ups))
            #expect(try await !store.remove(ups))
            #expect(try await store.subjects().map(\.subject) == [node])
            #expect(try await store.buckets(of: ups, from: 0, to: 1000, step: 1).isEmpty)
            #expect(try await store.statistics().buckets == 1)
            // It may be recorded again.
            try await store.write(batch)
            #expect(try await store.buckets(of: ups, from: 0, to: 1000, step: 1).first?.samples == 1)
        }
    }

    @Test(arguments: Kind.allCases) func `limits pruning and removes stale subjects`(_ kind: Kind) async throws {
        try await with(kind) { store in
            let old = HistorySubjectState(subject: node, lastSample: 100)
            let new = HistorySubjectState(subject: ups, lastSample: 5000)
            let buckets = (0..<10).map { (ups, bucket(Int64($0) * 300, load: 1, energy: 0)) }
            try await store.write(
                HistoryBatch(buckets: buckets + [(node, bucket(0, load: 1, energy: 0))], subjects: [old, new])
            )
            let counts = [
                try await store.prune(before: 1500, limit: 4), try await store.prune(before: 1500, limit: 4),
                try await store.prune(before: 1500, limit: 4),
            ]
            // PostgreSQL drops complete days, and hides the rest.
            #expect(counts == (kind == .postgres ? [0, 0, 0] : [4, 2, 0]))
            #expect(try await store.subjects().map(\.subject) == [ups])
            #expect(try await store.buckets(of: ups, from: 0, to: 9999, step: 1).first?.start == 1500)
            let statistics = try await store.statistics()
            #expect(statistics.buckets == 5)
            #expect(statistics.first == 1500)
            #expect(statistics.last == 2700)
        }
    }

    @Test(arguments: Kind.allCases) func `does not count the total as a subject`(_ kind: Kind) async throws {
        try await with(kind) { store in
            let states = [ups, node, .fleet].map { HistorySubjectState(subject: $0, lastSample: 100) }
            try await store.write(HistoryBatch(subjects: states))
            #expect(try await store.statistics().subjects == 2)
        }
    }

    private func save(_ events: [HistoryEvent], in store: any HistoryStore) async throws {
        try await store.write(
            HistoryBatch(subjects: Set(events.map(\.key.subject)).map { .init(subject: $0, lastSample: 9999) })
        )
        try await store.write(events)
    }

    @Test(arguments: Kind.allCases) func `finds events by time and subject`(_ kind: Kind) async throws {
        try await with(kind) { store in
            let over = HistoryEvent(.init(ups, .onBattery), start: 100, end: 200)
            let lasting = HistoryEvent(.init(ups, .alarm, text: "机房 '; \\"), start: 150)
            let other = HistoryEvent(.init(node, .offline), start: 300, end: 400)
            try await save([over, lasting, other], in: store)
            func found(_ query: HistoryEventQuery) async throws -> [HistoryEvent] { try await store.events(query) }
            #expect(try await found(.init(from: 0, to: .max)) == [other, lasting, over])
            #expect(try await found(.init(from: 0, to: .max, limit: 1)) == [other])
            #expect(try await found(.init(from: 201, to: .max)) == [other, lasting])
            #expect(try await found(.init(from: 0, to: 150)) == [over])
            #expect(try await found(.init(of: ups, from: 0, to: .max)) == [lasting, over])
            #expect(try await found(.open) == [lasting])
        }
    }

    @Test(arguments: Kind.allCases) func `ends an event once`(_ kind: Kind) async throws {
        try await with(kind) { store in
            let key = HistoryEvent.Key(ups, .onBattery)
            try await save([HistoryEvent(key, start: 100), HistoryEvent(key, start: 105)], in: store)
            try await store.write([HistoryEvent(key, start: 105, end: 200)])
            #expect(try await store.events(.open) == [])
            #expect(try await store.events(.init(from: 0, to: .max)).map(\.end) == [200, 200])
            // A later one stays open.
            try await store.write([HistoryEvent(key, start: 300)])
            try await store.write([HistoryEvent(key, start: 105, end: 200)])
            #expect(try await store.events(.open).map(\.start) == [300])
        }
    }

    @Test(arguments: Kind.allCases) func `prunes old events`(_ kind: Kind) async throws {
        try await with(kind) { store in
            let old = HistoryEvent(.init(ups, .onBattery), start: 100, end: 200)
            let lasting = HistoryEvent(.init(ups, .alarm, text: "x"), start: 100)
            let forgotten = HistoryEvent(.init(node, .offline), start: 100)
            try await save([old, lasting], in: store)
            try await store.write(HistoryBatch(subjects: [.init(subject: node, lastSample: 100)]))
            try await store.write([forgotten])
            _ = try await store.prune(before: 1000, limit: 100)
            #expect(try await store.events(.init(from: 0, to: .max)) == [lasting])
        }
    }
}

let ups = HistorySubject(kind: .ups, name: "e156e6cb")
let node = HistorySubject(kind: .node, name: "node-1")

func bucket(_ start: Int64, load: Double, energy: Double) -> HistoryBucket {
    HistoryBucket(
        start: start,
        seconds: 300,
        samples: 1,
        aggregates: [.init(.loadPercent, load), .init(.energy, energy)]
    )
}
