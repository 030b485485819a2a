// SPDX-License-Identifier: MIT

import WPPostgres

/// Writes one batch: locks the subjects, reads what is stored of them, adds to it, and writes it back.
struct PostgresHistoryTransaction {
    private struct Key: Hashable {
        var subject: Int64
        var start: Int64
    }

    private let session: any PostgresSessioning
    private let work: [HistorySubject: SubjectWork]
    private let remembered: Int64
    /// The numbers of subjects.
    private(set) var numbers: [HistorySubject: Int64]

    init(
        _ session: any PostgresSessioning,
        _ work: [HistorySubject: SubjectWork],
        numbers: [HistorySubject: Int64],
        remembered: Int64
    ) {
        self.session = session
        self.work = work
        self.numbers = numbers
        self.remembered = remembered
    }

    mutating func run() async throws(PostgresError) {
        try await number()
        var known = try await lock()
        if known.count < work.count {
            // Some were forgotten meanwhile.
            numbers = numbers.filter { known[$0.value] != nil }
            try await number()
            known = try await lock()
        }
        var folds = try await folds(known)
        var buckets: [Key: HistoryBucket] = [:]
        for (subject, one) in work {
            guard let number = numbers[subject] else { continue }
            for list in one.samples { folds[number]?.add(list.all, seconds: list.seconds) }
            for bucket in (folds[number].map { Array($0.buckets.values) } ?? []) + one.buckets {
                let key = Key(subject: number, start: bucket.start)
                if buckets[key] == nil { buckets[key] = bucket } else { buckets[key]?.merge(bucket) }
            }
        }
        try await save(buckets)
        try await saveSeen(folds)
        try await saveSubjects(folds)
    }

    // MARK: Subjects

    /// Gives numbers to subjects that have none yet.
    private mutating func number() async throws(PostgresError) {
        let new = work.keys.filter { numbers[$0] == nil }.sorted()
        guard !new.isEmpty else { return }
        let keys = (
            kinds: PostgresText.array(new.map(\.kind.rawValue)),
            sites: PostgresText.array(new.map { PostgresText.hex($0.site.utf8) }),
            names: PostgresText.array(new.map { PostgresText.hex($0.name.utf8) })
        )
        let rows = "unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(kind, site, name, place)"
        _ = try await session.query(
            "INSERT INTO winpower_history_subject (kind, site, name) SELECT kind, decode(site, 'hex'), "
                + "decode(name, 'hex') FROM \(rows) ORDER BY place ON CONFLICT DO NOTHING",
            keys.kinds,
            keys.sites,
            keys.names
        )
        let found = try await session.query(
            "SELECT k.place, s.id FROM \(rows) JOIN winpower_history_subject s ON s.kind = k.kind "
                + "AND s.site = decode(k.site, 'hex') AND s.name = decode(k.name, 'hex')",
            keys.kinds,
            keys.sites,
            keys.names
        )
        for row in 0..<found.rowCount {
            guard let place = found[row, 0].flatMap(Int.init), new.indices.contains(place - 1) else { continue }
            numbers[new[place - 1]] = found[row, 1].flatMap(Int64.init)
        }
    }

    /// Locks the subjects until the end of the transaction, and reads how far they are counted.
    private func lock() async throws(PostgresError) -> [Int64: (counted: Double, counters: [HistoryQuantity: Double])] {
        let rows = try await session.query(
            "SELECT id, counted, counters FROM winpower_history_subject WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE",
            PostgresText.array(work.keys.compactMap { numbers[$0] })
        )
        var known: [Int64: (counted: Double, counters: [HistoryQuantity: Double])] = [:]
        for row in 0..<rows.rowCount {
            guard let number = rows[row, 0].flatMap(Int64.init) else { continue }
            known[number] = (
                PostgresText.double(rows[row, 1]),
                PostgresText.bytes(rows[row, 2]).withUnsafeBytes(CounterBytes.counters)
            )
        }
        return known
    }

    private func saveSubjects(_ folds: [Int64: HistoryFold]) async throws(PostgresError) {
        var ids: [Int64] = []
        var (stated, counted): ([Double], [Double]) = ([], [])
        var (counters, documents): ([String], [String]) = ([], [])
        for (subject, one) in work {
            guard let number = numbers[subject], let fold = folds[number] else { continue }
            let time = one.state?.lastSample ?? -.infinity
            // Counters come with the samples, or, without any, with the state.
            let ahead = one.state.flatMap { $0.counters.isEmpty || time <= fold.lastSample ? nil : $0.counters }
            ids.append(number)
            stated.append(time)
            counted.append(ahead == nil ? fold.lastSample : time)
            counters.append(PostgresText.hex(CounterBytes.bytes(ahead ?? fold.counters)))
            documents.append(PostgresText.hex(one.state?.document ?? []))
        }
        guard !ids.isEmpty else { return }
        _ = try await session.query(
            "UPDATE winpower_history_subject s SET last_sample = greatest(s.last_sample, n.stated, n.counted), "
                + "counted = n.counted, counters = decode(n.counters, 'hex'), document = CASE "
                + "WHEN n.stated >= s.last_sample AND n.stated > '-infinity' THEN decode(n.document, 'hex') "
                + "ELSE s.document END, changed = clock_timestamp() "
                + "FROM unnest($1::bigint[], $2::float8[], $3::float8[], $4::text[], $5::text[]) "
                + "AS n(id, stated, counted, counters, document) WHERE s.id = n.id",
            PostgresText.array(ids),
            PostgresText.array(stated),
            PostgresText.array(counted),
            PostgresText.array(counters),
            PostgresText.array(documents)
        )
    }

    // MARK: Samples

    /// What is known of the samples' subjects and spans.
    private func folds(
        _ known: [Int64: (counted: Double, counters: [HistoryQuantity: Double])]
    ) async throws(PostgresError) -> [Int64: HistoryFold] {
        var keys: Set<Key> = []
        for (subject, one) in work {
            guard let number = numbers[subject] else { continue }
            for sample in one.samples.flatMap(\.all) {
                keys.insert(Key(subject: number, start: HistoryFold.slot(of: sample.identity)))
            }
        }
        var seen: [Int64: [Int64: Set<Int64>]] = [:]
        for row in try await rows(of: .seen, keys, "times") {
            let slot = row.key.start
            seen[row.key.subject, default: [:]][slot] = SeenBytes.identities(
                PostgresText.bytes(row.values[0]),
                slot: slot
            )
        }
        return known.reduce(into: [:]) { folds, one in
            folds[one.key] = HistoryFold(
                lastSample: one.value.counted,
                counters: one.value.counters,
                seen: seen[one.key] ?? [:],
                remembered: remembered
            )
        }
    }

    private func saveSeen(_ folds: [Int64: HistoryFold]) async throws(PostgresError) {
        var rows: [(key: Key, values: [String])] = []
        for (number, fold) in folds {
            for (slot, identities) in fold.seen {
                rows.append(
                    (Key(subject: number, start: slot), [PostgresText.hex(SeenBytes.bytes(identities, slot: slot))])
                )
            }
        }
        guard !rows.isEmpty else { return }
        _ = try await session.query(
            "INSERT INTO winpower_history_seen (subject, start, times) SELECT subject, start, decode(times, 'hex') "
                + "FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS n(subject, start, times) "
                + "ON CONFLICT (subject, start) DO UPDATE SET times = excluded.times",
            PostgresText.array(rows.map(\.key.subject)),
            PostgresText.array(rows.map(\.key.start)),
            PostgresText.array(rows.map { $0.values[0] })
        )
    }

    // MARK: Buckets

    private func save(_ new: [Key: HistoryBucket]) async throws(PostgresError) {
        guard !new.isEmpty else { return }
        var buckets = new
        for row in try await rows(of: .bucket, Set(new.keys), "seconds, b.samples, b.quantities") {
            guard let seconds = row.values[0].flatMap(Int64.init), let samples = row.values[1].flatMap(Int.init),
                var stored = PostgresText.bytes(row.values[2]).withUnsafeBytes({
                    HistoryBucket(start: row.key.start, seconds: seconds, samples: samples, bytes: $0)
                }), let added = new[row.key]
            else { continue }
            stored.merge(added)
            buckets[row.key] = stored
        }
        let rows = Array(buckets)
        _ = try await session.query(
            "INSERT INTO winpower_history_bucket (subject, start, seconds, samples, quantities) SELECT subject, start, "
                + "seconds, samples, decode(quantities, 'hex') "
                + "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) "
                + "AS n(subject, start, seconds, samples, quantities) ON CONFLICT (subject, start) DO UPDATE SET "
                + "seconds = excluded.seconds, samples = excluded.samples, quantities = excluded.quantities",
            PostgresText.array(rows.map(\.key.subject)),
            PostgresText.array(rows.map(\.key.start)),
            PostgresText.array(rows.map(\.value.seconds)),
            PostgresText.array(rows.map(\.value.samples)),
            PostgresText.array(rows.map { PostgresText.hex($0.value.aggregateBytes) })
        )
    }

    /// The stored rows of some keys.
    private func rows(
        of table: PostgresHistorySchema.Partitioned,
        _ keys: Set<Key>,
        _ columns: String
    ) async throws(PostgresError) -> [(key: Key, values: [String?])] {
        guard let first = keys.map(\.start).min(), let last = keys.map(\.start).max() else { return [] }
        let order = Array(keys)
        let found = try await session.query(
            "SELECT b.subject, b.start, b.\(columns) FROM unnest($1::bigint[], $2::bigint[]) AS k(subject, start) "
                + "JOIN \(table.rawValue) b ON b.subject = k.subject AND b.start = k.start "
                + "WHERE b.start >= \(first) AND b.start <= \(last)",
            PostgresText.array(order.map(\.subject)),
            PostgresText.array(order.map(\.start))
        )
        return (0..<found.rowCount).compactMap { row in
            guard let subject = found[row, 0].flatMap(Int64.init), let start = found[row, 1].flatMap(Int64.init) else {
                return nil
            }
            return (Key(subject: subject, start: start), (2..<found.columns.count).map { found[row, $0] })
        }
    }
}
