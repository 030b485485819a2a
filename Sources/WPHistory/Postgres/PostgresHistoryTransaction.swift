// SPDX-License-Identifier: MIT

import WPPostgres

/// Writes one batch: locks the subjects, reads their stored state, updates it, and writes it back.
struct PostgresHistoryTransaction {
    private struct Key: Hashable {
        var subject: Int64
        var start: Int64
    }

    private let session: any PostgresSessioning
    private let work: [HistorySubject: SubjectWork]
    /// The numbers of subjects.
    private(set) var numbers: [HistorySubject: Int64]
    /// When the subjects changed, by the database's clock.
    private(set) var changes: [Int64: String] = [:]

    init(
        _ session: any PostgresSessioning,
        _ work: [HistorySubject: SubjectWork],
        numbers: [HistorySubject: Int64]
    ) {
        self.session = session
        self.work = work
        self.numbers = numbers
    }

    mutating func run() async throws(PostgresError) {
        try await number()
        var known = try await lock()
        if known.count < work.count {
            // Some were removed concurrently.
            numbers = numbers.filter { known[$0.value] != nil }
            try await number()
            known = try await lock()
        }
        var folds = try await folds(known)
        var buckets: [Key: HistoryBucket] = [:]
        for (subject, one) in work {
            // lint: another program may have removed it again
            guard let number = numbers[subject] else { continue }
            for list in one.samples { folds[number]?.add(list.all, seconds: list.seconds) }
            if one.samples.isEmpty, let state = one.state { folds[number]?.learn(state) }
            for bucket in (folds[number].map { Array($0.buckets.values) } ?? []) + one.buckets {
                let key = Key(subject: number, start: bucket.start)
                if buckets[key] == nil { buckets[key] = bucket } else { buckets[key]?.merge(bucket) }
            }
        }
        try await save(buckets)
        try await saveTrails(folds)
        try await saveSubjects(folds)
    }

    // MARK: Subjects

    /// Assigns numbers to new subjects.
    private mutating func number() async throws(PostgresError) {
        let new = work.keys.filter { numbers[$0] == nil }.sorted()
        guard !new.isEmpty else { return }
        try await PostgresHistorySubjects.add(new, session)
        let found = try await session.query(
            PostgresStatement(
                "SELECT k.place, s.id FROM \(PostgresHistorySubjects.rows) JOIN winpower_history_subject s "
                    + "ON s.kind = k.kind AND s.site = decode(k.site, 'hex') AND s.name = decode(k.name, 'hex')",
                parameters: PostgresHistorySubjects.columns(of: new)
            )
        )
        for row in 0..<found.rowCount {
            guard let position = found[row, 0].flatMap(Int.init), new.indices.contains(position - 1) else { continue }
            numbers[new[position - 1]] = found[row, 1].flatMap(Int64.init)
        }
    }

    /// A subject's state as of its last counted sample.
    private struct Counted {
        var position: HistoryPosition
        var lastSample: Double
        var counters: [HistoryQuantity: Double]
    }

    /// Locks the subjects until the end of the transaction, and reads their positions.
    private func lock() async throws(PostgresError) -> [Int64: Counted] {
        let rows = try await session.query(
            "SELECT id, counted, counters, position FROM winpower_history_subject WHERE id = ANY($1::bigint[]) "
                + "ORDER BY id FOR UPDATE",
            PostgresText.array(work.keys.compactMap { numbers[$0] })
        )
        var known: [Int64: Counted] = [:]
        for row in 0..<rows.rowCount {
            guard let number = rows[row, 0].flatMap(Int64.init) else { continue }
            let lastSample = PostgresText.double(rows[row, 1])
            var position = PostgresText.bytes(rows[row, 3]).withUnsafeBytes { HistoryPosition($0) }
            // Samples counted by an earlier version are identified by their time.
            if position.identity == nil, lastSample.isFinite {
                position.advance(to: HistoryIdentity(senderTime: lastSample))
            }
            known[number] = Counted(
                position: position,
                lastSample: lastSample,
                counters: PostgresText.bytes(rows[row, 2]).withUnsafeBytes(CounterBytes.counters)
            )
        }
        return known
    }

    private mutating func saveSubjects(_ folds: [Int64: HistoryFold]) async throws(PostgresError) {
        var ids: [Int64] = []
        var counted: [Double] = []
        var (counters, positions, documents) = ([String](), [String](), [String]())
        for (subject, one) in work {
            // lint: another program may have removed it again
            guard let number = numbers[subject], let fold = folds[number] else { continue }
            ids.append(number)
            counted.append(fold.lastSample)
            counters.append(PostgresText.hex(CounterBytes.bytes(fold.counters)))
            positions.append(PostgresText.hex(fold.position.bytes))
            // Only the newest report is kept, whichever program received it.
            let document = one.state.flatMap { fold.isNewest($0) ? $0.document : nil }
            documents.append(PostgresText.hex(document ?? []))
        }
        guard !ids.isEmpty else { return }
        let changed = try await session.query(
            "UPDATE winpower_history_subject s SET last_sample = n.counted, counted = n.counted, "
                + "counters = decode(n.counters, 'hex'), position = decode(n.position, 'hex'), "
                + "document = CASE WHEN n.document = '' THEN s.document ELSE decode(n.document, 'hex') END, "
                + "changed = clock_timestamp() "
                + "FROM unnest($1::bigint[], $2::float8[], $3::text[], $4::text[], $5::text[]) "
                + "AS n(id, counted, counters, position, document) WHERE s.id = n.id RETURNING s.id, s.changed",
            PostgresText.array(ids),
            PostgresText.array(counted),
            PostgresText.array(counters),
            PostgresText.array(positions),
            PostgresText.array(documents)
        )
        for row in 0..<changed.rowCount {
            if let number = changed[row, 0].flatMap(Int64.init) { changes[number] = changed[row, 1] }
        }
    }

    // MARK: Samples

    /// The stored state of the samples' subjects.
    private func folds(_ known: [Int64: Counted]) async throws(PostgresError) -> [Int64: HistoryFold] {
        var (subjects, slots) = ([Int64](), [Int64]())
        for (subject, one) in work {
            // lint: another program may have removed it again
            guard let number = numbers[subject] else { continue }
            for slot in HistoryFold.slots(for: one.samples.flatMap(\.all)) {
                subjects.append(number)
                slots.append(slot)
            }
        }
        var folds = try await folds(
            known,
            "SELECT t.subject, t.entries FROM unnest($1::bigint[], $2::integer[]) AS k(subject, slot) "
                + "JOIN winpower_history_trail t ON t.subject = k.subject AND t.slot = k.slot",
            PostgresText.array(subjects),
            PostgresText.array(slots)
        )
        var late: [Int64: Counted] = [:]
        for (subject, one) in work {
            guard let number = numbers[subject], folds[number]?.needsAll(one.samples.flatMap(\.all)) == true else {
                continue
            }
            late[number] = known[number]
        }
        guard !late.isEmpty else { return folds }
        let whole = try await self.folds(
            late,
            "SELECT subject, entries FROM winpower_history_trail WHERE subject = ANY($1::bigint[])",
            PostgresText.array(late.keys)
        )
        folds.merge(whole) { $1 }
        return folds
    }

    private func folds(
        _ known: [Int64: Counted],
        _ text: String,
        _ parameters: String...
    ) async throws(PostgresError) -> [Int64: HistoryFold] {
        let rows = try await session.query(PostgresStatement(text, parameters: parameters.map { .text($0) }))
        var chunks: [Int64: [HistoryChunk]] = [:]
        for row in 0..<rows.rowCount {
            guard let number = rows[row, 0].flatMap(Int64.init),
                let chunk = PostgresText.bytes(rows[row, 1]).withUnsafeBytes({ HistoryChunk($0) })
            else { continue }
            chunks[number, default: []].append(chunk)
        }
        return known.reduce(into: [:]) { folds, one in
            folds[one.key] = HistoryFold(
                position: one.value.position,
                lastSample: one.value.lastSample,
                counters: one.value.counters,
                chunks: chunks[one.key] ?? []
            )
        }
    }

    private func saveTrails(_ folds: [Int64: HistoryFold]) async throws(PostgresError) {
        var (subjects, slots, entries) = ([Int64](), [Int64](), [String]())
        for (number, fold) in folds {
            for slot in fold.changed {
                guard let chunk = fold.chunks[slot] else {
                    preconditionFailure("slot \(slot) changed and has no chunk")
                }
                subjects.append(number)
                slots.append(slot)
                entries.append(PostgresText.hex(chunk.bytes))
            }
        }
        guard !subjects.isEmpty else { return }
        _ = try await session.query(
            "INSERT INTO winpower_history_trail (subject, slot, entries) SELECT subject, slot, decode(entries, 'hex') "
                + "FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS n(subject, slot, entries) "
                + "ON CONFLICT (subject, slot) DO UPDATE SET entries = excluded.entries",
            PostgresText.array(subjects),
            PostgresText.array(slots),
            PostgresText.array(entries)
        )
    }

    // MARK: Buckets

    private func save(_ new: [Key: HistoryBucket]) async throws(PostgresError) {
        guard !new.isEmpty else { return }
        var buckets = new
        let stored = try await self.stored(Array(new.keys))
        for row in 0..<stored.rowCount {
            guard let (subject, bucket) = stored.bucket(row) else { continue }
            let key = Key(subject: subject, start: bucket.start)
            // lint: the server returned a row that was not requested
            guard let added = new[key] else { continue }
            buckets[key] = bucket
            buckets[key]?.merge(added)
        }
        // A bucket without samples only moves an increase to a stored bucket, which was removed.
        let rows = buckets.filter { $1.samples > 0 }
        guard !rows.isEmpty else { return }
        _ = try await session.query(
            "INSERT INTO winpower_history_bucket (subject, start, seconds, samples, quantities) SELECT subject, start, "
                + "seconds, samples, decode(quantities, 'hex') "
                + "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) "
                + "AS n(subject, start, seconds, samples, quantities) ON CONFLICT (subject, start) DO UPDATE SET "
                + "seconds = excluded.seconds, samples = excluded.samples, quantities = excluded.quantities",
            PostgresText.array(rows.keys.map(\.subject)),
            PostgresText.array(rows.keys.map(\.start)),
            PostgresText.array(rows.values.map(\.seconds)),
            PostgresText.array(rows.values.map(\.samples)),
            PostgresText.array(rows.values.map { PostgresText.hex($0.aggregateBytes) })
        )
    }

    /// The rows of the stored buckets with the given keys.
    private func stored(_ keys: [Key]) async throws(PostgresError) -> PostgresResult {
        let starts = keys.map(\.start)
        guard let first = starts.min(), let last = starts.max() else { return PostgresResult(columns: []) }
        // The range lets the server skip partitions.
        return try await session.query(
            "SELECT b.subject, b.start, b.seconds, b.samples, b.quantities FROM unnest($1::bigint[], $2::bigint[]) AS k(subject, start) "
                + "JOIN winpower_history_bucket b ON b.subject = k.subject AND b.start = k.start "
                + "WHERE b.start >= \(first) AND b.start <= \(last)",
            PostgresText.array(keys.map(\.subject)),
            PostgresText.array(starts)
        )
    }
}
