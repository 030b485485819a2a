// SPDX-License-Identifier: MIT

public import WPHistory

/// The requirements of every history store. Each check needs a new, empty store, which the check does not close.
public enum HistoryStoreContract {
    /// All checks.
    public static let checks: [ContractCheck<any HistoryStore>] = buckets + subjects + removal + events

    private static let buckets: [ContractCheck<any HistoryStore>] = [
        ContractCheck("a new store is empty") { store in
            try expectEqual(try await store.subjects(), [], "subjects")
            try expectEqual(try await loaded(store), [], "buckets")
            try expectEqual(try await found(store), [], "events")
            let statistics = try await store.statistics()
            try expectEqual([statistics.subjects, statistics.buckets], [0, 0], "subjects and buckets")
            try expect(statistics.first == nil && statistics.last == nil, "there is a first or a last bucket")
        },
        ContractCheck("a bucket is read as it was saved") { store in
            let bucket = HistoryBucket(
                start: 600,
                seconds: 300,
                samples: 7,
                aggregates: [
                    .init(.loadPercent, count: 7, average: 40, minimum: 10, maximum: 90.5),
                    .init(.energy, count: 7, average: 1.25, minimum: 0, maximum: 0),
                ]
            )
            try await store.write(HistoryBatch(buckets: [(ups, bucket)]))
            try expectEqual(try await loaded(store), [bucket], "buckets")
        },
        ContractCheck("a bucket is merged with the stored one") { store in
            try await store.write(HistoryBatch(buckets: [(ups, bucket(600, load: 40, energy: 1))]))
            try await store.write(HistoryBatch(buckets: [(ups, bucket(600, load: 50, energy: 2))]))
            let all = try await loaded(store)
            try expectEqual(all.map(\.samples), [2], "samples")
            let load = all.first?[.loadPercent]
            try expectEqual([load?.minimum, load?.average, load?.maximum], [40, 45, 50], "load")
            try expectEqual(all.first?[.energy]?.average, 3, "energy")
        },
        ContractCheck("a range includes its start and excludes its end, and is in order of time") { store in
            let starts: [Int64] = [900, 0, 600, 300]
            try await store.write(HistoryBatch(buckets: starts.map { (ups, bucket($0, load: 1, energy: 0)) }))
            try expectEqual(try await loaded(store).map(\.start), [0, 300, 600, 900], "starts")
            let some = try await store.buckets(of: ups, from: 300, to: 900, step: 1)
            try expectEqual(some.map(\.start), [300, 600], "starts from 300 to 900")
        },
        ContractCheck("buckets are merged per step, and gaps are kept") { store in
            let loads: [(Int64, Double)] = [(0, 10), (300, 20), (1800, 30)]
            try await store.write(HistoryBatch(buckets: loads.map { (ups, bucket($0.0, load: $0.1, energy: 1)) }))
            let merged = try await store.buckets(of: ups, from: 0, to: 3600, step: 600)
            try expectEqual(merged.map(\.start), [0, 1800], "starts")
            try expectEqual(merged.map { $0[.loadPercent]?.average }, [15, 30], "loads")
            try expectEqual(merged.map { $0[.energy]?.average }, [2, 1], "energy")
        },
    ]

    private static let subjects: [ContractCheck<any HistoryStore>] = [
        ContractCheck("the state of a subject is replaced") { store in
            for serial in 1...3 {
                let state = HistorySubjectState(
                    subject: ups,
                    lastSample: Double(serial) + 0.5,
                    identity: HistoryIdentity(stream: .max, sequence: Int64(serial)),
                    counters: [.energy: Double(serial) / 3],
                    document: Array("{\"serial\":\(serial)}".utf8)
                )
                try await store.write(HistoryBatch(subjects: [state]))
                try expectEqual(try await store.subjects(), [state], "subjects")
            }
        },
        ContractCheck("kinds and sites distinguish subjects") { store in
            let all = [
                node, HistorySubject(kind: .ups, name: node.name),
                HistorySubject(kind: .ups, site: "b", name: node.name),
            ]
            for (index, subject) in all.enumerated() {
                let own = bucket(0, load: Double(index), energy: 0)
                try await store.write(
                    HistoryBatch(buckets: [(subject, own)], subjects: [.init(subject: subject, lastSample: 1)])
                )
            }
            for (index, subject) in all.enumerated() {
                let loads = try await loaded(store, subject).map { $0[.loadPercent]?.average }
                try expectEqual(loads, [Double(index)], "loads of \(subject)")
            }
            try expectEqual(try await store.subjects().map(\.subject), all.sorted(), "subjects, in order")
        },
        ContractCheck("any text is a name") { store in
            for name in ["../../etc/passwd", "", "机房 ups\u{0}'; DROP TABLE bucket;--", "\u{202E}x"] {
                let state = HistorySubjectState(
                    subject: HistorySubject(kind: .node, site: name, name: name),
                    lastSample: 1.5,
                    document: Array("{}".utf8)
                )
                try await store.write(HistoryBatch(subjects: [state]))
                try expectEqual(try await store.subjects(), [state], "subjects")
                try expect(try await store.remove(state.subject), "the subject \(name.debugDescription) is unknown")
            }
        },
        ContractCheck("canonically equivalent names differ") { store in
            let names = ["cafe\u{301}", "caf\u{E9}"]
            let both = names.map { HistorySubject(kind: .ups, site: "S", name: $0) }
            try await store.write(
                HistoryBatch(
                    buckets: [
                        (both[0], bucket(600, load: 40, energy: 1)), (both[1], bucket(600, load: 80, energy: 2)),
                    ],
                    subjects: both.map { HistorySubjectState(subject: $0, lastSample: 600) }
                )
            )
            let found = try await store.subjects().map { Array($0.subject.name.utf8) }
            try expectEqual(found, names.map { Array($0.utf8) }, "names")
            for (subject, load) in zip(both, [40.0, 80]) {
                try expectEqual(try await loaded(store, subject).map { $0[.loadPercent]?.average }, [load], "load")
            }
        },
        ContractCheck("the fleet's total does not count as a subject") { store in
            let states = [ups, node, .fleet].map { HistorySubjectState(subject: $0, lastSample: 100) }
            try await store.write(HistoryBatch(subjects: states))
            try expectEqual(try await store.statistics().subjects, 2, "the number of subjects")
            try expectEqual(try await store.subjects().count, 3, "subjects")
        },
    ]

    private static let removal: [ContractCheck<any HistoryStore>] = [
        ContractCheck("the retention time is stored") { store in
            try expectEqual(try await store.retentionTime(), nil, "the time of a new store")
            for time in [1_600_000_000.25, 1_600_000_060] {
                try expectEqual(try await store.agree(onRetentionTime: time), time, "the time to prune by")
                try expectEqual(try await store.retentionTime(), time, "the stored time")
            }
        },
        ContractCheck("removing a subject removes its buckets and events, and nothing else") { store in
            let batch = HistoryBatch(
                buckets: [(ups, bucket(600, load: 40, energy: 1)), (node, bucket(600, load: 1, energy: 0))],
                subjects: [ups, node].map { HistorySubjectState(subject: $0, lastSample: 600) }
            )
            try await store.write(batch)
            let event = HistoryEvent(.init(node, .offline), start: 100)
            try await store.write([HistoryEvent(.init(ups, .onBattery), start: 100), event])
            try expect(try await store.remove(ups), "an existing subject is unknown")
            try expect(try await !store.remove(ups), "a removed subject exists")
            try expectEqual(try await store.subjects().map(\.subject), [node], "subjects")
            try expectEqual(try await loaded(store), [], "buckets")
            try expectEqual(try await found(store), [event], "events")
            try expectEqual(try await store.statistics().buckets, 1, "the number of buckets")
            try await store.write(batch)
            try expectEqual(try await loaded(store).map(\.samples), [1], "samples, recorded again")
        },
        ContractCheck("pruning removes old buckets in short steps, and stale subjects") { store in
            let buckets = (0..<10).map { (ups, bucket(Int64($0) * 300, load: 1, energy: 0)) }
            try await store.write(
                HistoryBatch(
                    buckets: buckets + [(node, bucket(0, load: 1, energy: 0))],
                    subjects: [.init(subject: node, lastSample: 100), .init(subject: ups, lastSample: 5000)]
                )
            )
            var removed = 0
            for _ in 0..<3 {
                removed = try await store.prune(before: 1500, limit: 4)
                try expect((0...4).contains(removed), "\(removed) buckets were removed with a limit of 4")
            }
            try expect(removed < 4, "three steps of 4 left some of 6 old buckets")
            try expectEqual(try await store.subjects().map(\.subject), [ups], "subjects")
            try expectEqual(try await loaded(store).map(\.start), [1500, 1800, 2100, 2400, 2700], "starts")
            let statistics = try await store.statistics()
            try expectEqual(statistics.buckets, 5, "the number of buckets")
            try expectEqual([statistics.first, statistics.last], [1500, 2700], "the first and the last bucket")
        },
    ]

    private static let events: [ContractCheck<any HistoryStore>] = [
        ContractCheck("events are found by time and subject, the latest first") { store in
            let over = HistoryEvent(.init(ups, .onBattery), start: 100, end: 200)
            let lasting = HistoryEvent(.init(ups, .alarm, text: "机房 '; \\"), start: 150)
            let other = HistoryEvent(.init(node, .offline), start: 300, end: 400)
            try await save([over, lasting, other], in: store)
            let queries: [(HistoryEventQuery, [HistoryEvent])] = [
                (.init(from: 0, to: .max), [other, lasting, over]), (.init(from: 0, to: .max, limit: 1), [other]),
                (.init(from: 201, to: .max), [other, lasting]), (.init(from: 0, to: 150), [over]),
                (.init(of: ups, from: 0, to: .max), [lasting, over]), (.open, [lasting]),
            ]
            for (query, expected) in queries {
                try expectEqual(try await store.events(query), expected, "\(query)")
            }
        },
        ContractCheck("an event is saved even if nothing else of its subject is") { store in
            let event = HistoryEvent(.init(node, .offline), start: 100)
            try await store.write([event])
            try expectEqual(try await found(store), [event], "events")
        },
        ContractCheck("an event that ended ends the open events of its key that began before") { store in
            let key = HistoryEvent.Key(ups, .onBattery)
            try await save([HistoryEvent(key, start: 100), HistoryEvent(key, start: 105)], in: store)
            try await store.write([HistoryEvent(key, start: 105, end: 200)])
            try expectEqual(try await store.events(.open), [], "open events")
            try expectEqual(try await found(store).map(\.end), [200, 200], "ends")
            try await store.write([HistoryEvent(key, start: 300)])
            try await store.write([HistoryEvent(key, start: 105, end: 200)])
            try expectEqual(try await store.events(.open).map(\.start), [300], "starts of open events")
        },
        ContractCheck("pruning removes old events, and those of stale subjects") { store in
            let lasting = HistoryEvent(.init(ups, .alarm, text: "x"), start: 100)
            try await save([HistoryEvent(.init(ups, .onBattery), start: 100, end: 200), lasting], in: store)
            try await store.write(HistoryBatch(subjects: [.init(subject: node, lastSample: 100)]))
            try await store.write([HistoryEvent(.init(node, .offline), start: 100)])
            _ = try await store.prune(before: 1000, limit: 100)
            try expectEqual(try await found(store), [lasting], "events")
        },
    ]

    private static let ups = HistorySubject(kind: .ups, name: "e156e6cb")
    private static let node = HistorySubject(kind: .node, name: "node-1")

    private static func bucket(_ start: Int64, load: Double, energy: Double) -> HistoryBucket {
        HistoryBucket(
            start: start,
            seconds: 300,
            samples: 1,
            aggregates: [.init(.loadPercent, load), .init(.energy, energy)]
        )
    }

    private static func loaded(_ store: any HistoryStore, _ subject: HistorySubject = ups) async throws
        -> [HistoryBucket]
    {
        try await store.buckets(of: subject, from: 0, to: .max, step: 1)
    }

    private static func found(_ store: any HistoryStore) async throws -> [HistoryEvent] {
        try await store.events(.init(from: 0, to: .max))
    }

    /// Saves events after saving their subjects, as a history does.
    private static func save(_ events: [HistoryEvent], in store: any HistoryStore) async throws {
        let subjects = Set(events.map(\.key.subject))
        try await store.write(HistoryBatch(subjects: subjects.map { .init(subject: $0, lastSample: 9999) }))
        try await store.write(events)
    }
}
