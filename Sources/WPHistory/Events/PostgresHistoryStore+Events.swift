// SPDX-License-Identifier: MIT

import WPPostgres

extension PostgresHistoryStore {
    /// Saves events in one transaction. Creates subjects whose samples are not saved, for example because that failed.
    package func write(_ events: [HistoryEvent]) async throws {
        try await HistoryStoreError.wrapping("saving") {
            try await writer.prepare()
            let subjects = Set(events.map(\.key.subject)).sorted()
            let columns: [PostgresStatement.Parameter] =
                PostgresHistorySubjects.columns(of: events.map(\.key.subject)) + [
                    .text(PostgresText.array(events.map { $0.key.kind.rawValue })),
                    .text(PostgresText.array(events.map { PostgresText.hex($0.key.text.utf8) })),
                    .text(PostgresText.array(events.map(\.start))),
                    .text("{" + events.map { $0.end.map(String.init) ?? "NULL" }.joined(separator: ",") + "}"),
                ]
            let rows =
                "unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) "
                + "AS n(subject_kind, site, name, kind, text, start, finish) JOIN winpower_history_subject s "
                + "ON s.kind = n.subject_kind AND s.site = decode(n.site, 'hex') AND s.name = decode(n.name, 'hex')"
            try await pool.transaction { session throws(PostgresError) in
                try await PostgresHistorySubjects.add(subjects, session)
                _ = try await session.query(
                    PostgresStatement(
                        "INSERT INTO winpower_history_event (subject, kind, text, start, finish) SELECT s.id, n.kind, "
                            + "decode(n.text, 'hex'), n.start, n.finish FROM \(rows) ORDER BY 1, 2, 3, 4 "
                            + "ON CONFLICT (subject, kind, text, start) DO UPDATE SET finish = excluded.finish",
                        parameters: columns
                    )
                )
                _ = try await session.query(
                    PostgresStatement(
                        "UPDATE winpower_history_event e SET finish = n.finish FROM \(rows) WHERE e.subject = s.id "
                            + "AND e.kind = n.kind AND e.text = decode(n.text, 'hex') AND e.finish IS NULL "
                            + "AND e.start <= n.finish",
                        parameters: columns
                    )
                )
            }
        }
    }

    /// The events that match a query, latest first.
    package func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent] {
        try await HistoryStoreError.wrapping("reading") {
            try await writer.prepare()
            var parameters: [PostgresStatement.Parameter] = [
                .text(String(query.to)), .text(String(query.from)), .text(String(query.limit)),
            ]
            if let subject = query.subject {
                parameters += [
                    .text(subject.kind.rawValue), .text(PostgresText.hex(subject.site.utf8)),
                    .text(PostgresText.hex(subject.name.utf8)),
                ]
            }
            let rows = try await pool.run(
                PostgresStatement(
                    "SELECT s.kind, s.site, s.name, e.kind, e.text, e.start, e.finish FROM winpower_history_event e "
                        + "JOIN winpower_history_subject s ON s.id = e.subject WHERE e.start < $1::bigint "
                        + "AND coalesce(e.finish, $2::bigint) >= $2::bigint "
                        + (query.subject == nil
                            ? "" : "AND s.kind = $4 AND s.site = decode($5, 'hex') AND s.name = decode($6, 'hex') ")
                        + "ORDER BY e.start DESC, e.subject, e.kind, e.text LIMIT $3::bigint",
                    parameters: parameters
                )
            )
            return (0..<rows.rowCount).compactMap { row in
                guard let kind = rows[row, 0].flatMap(HistorySubject.Kind.init),
                    let event = rows[row, 3].flatMap(HistoryEvent.Kind.init),
                    let start = rows[row, 5].flatMap(Int64.init)
                else { return nil }
                let text = { String(decoding: PostgresText.bytes(rows[row, $0]), as: UTF8.self) }
                let subject = HistorySubject(kind: kind, site: text(1), name: text(2))
                let key = HistoryEvent.Key(subject, event, text: text(4))
                return HistoryEvent(key, start: start, end: rows[row, 6].flatMap(Int64.init))
            }
        }
    }
}
