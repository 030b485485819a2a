// SPDX-License-Identifier: MIT

extension SQLiteHistoryStore {
    /// Saves events in one transaction.
    package func write(_ events: [HistoryEvent]) async throws {
        try await repairing { try await self.writer.write(events) }
    }

    /// The events that match a query.
    package func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent] {
        try await repairing { try await self.reader.events(query) }
    }
}

extension SQLiteWriter {
    func write(_ events: [HistoryEvent]) throws(HistoryStoreError) {
        try confirm()
        let connection = try opened()
        try reserveSpace(events.count * 8192, connection)
        try connection.execute(SQLiteHistoryFile.eventSchema)
        try connection.transaction { () throws(HistoryStoreError) in
            for event in events {
                let number = try self.number(of: event.key.subject, in: connection)
                if let end = event.end {
                    let finish = try connection.statement(
                        "UPDATE event SET finish = ?4 WHERE subject = ?1 AND kind = ?2 AND text = ?3 "
                            + "AND finish IS NULL AND start <= ?4"
                    )
                    bind(event, number, finish)
                    finish.bind(4, end)
                    try finish.run()
                }
                let insert = try connection.statement(
                    "INSERT INTO event (subject, kind, text, start, finish) VALUES (?1, ?2, ?3, ?4, "
                        + "\(event.end == nil ? "NULL" : "?5")) "
                        + "ON CONFLICT (subject, kind, text, start) DO UPDATE SET finish = excluded.finish"
                )
                bind(event, number, insert)
                insert.bind(4, event.start)
                if let end = event.end { insert.bind(5, end) }
                try insert.run()
            }
        }
    }

    private func bind(_ event: HistoryEvent, _ number: Int64, _ statement: SQLiteStatement) {
        statement.bind(1, number)
        statement.bind(2, event.key.kind.rawValue)
        statement.bind(3, event.key.text)
    }

    /// Removes events that ended before a time, and those of removed subjects.
    func removeEvents(before: Int64, _ connection: SQLiteConnection) throws(HistoryStoreError) {
        guard try connection.hasEvents() else { return }
        let old = try connection.statement(
            "DELETE FROM event WHERE finish < ?1 OR subject NOT IN (SELECT id FROM subject)"
        )
        old.bind(1, before)
        try old.run()
    }
}

extension SQLiteConnection {
    /// Whether the file contains the event table.
    func hasEvents() throws(HistoryStoreError) -> Bool {
        try number("SELECT count(*) FROM sqlite_schema WHERE name = 'event'") > 0
    }
}

extension SQLiteReader {
    /// The events that match a query, latest first; none in a file written by an earlier version.
    package func events(_ query: HistoryEventQuery) throws(HistoryStoreError) -> [HistoryEvent] {
        let connection = try opened()
        guard try connection.hasEvents() else { return [] }
        let rows = try connection.statement(
            "SELECT s.kind, s.site, s.name, e.kind, e.text, e.start, e.finish FROM event e "
                + "JOIN subject s ON s.id = e.subject WHERE e.start < ?1 AND coalesce(e.finish, ?2) >= ?2 "
                + (query.subject == nil ? "" : "AND s.kind = ?4 AND s.site = ?5 AND s.name = ?6 ")
                + "ORDER BY e.start DESC, e.subject, e.kind, e.text LIMIT ?3"
        )
        defer { rows.reset() }
        rows.bind(1, query.to)
        rows.bind(2, query.from)
        rows.bind(3, Int64(query.limit))
        if let subject = query.subject {
            rows.bind(4, subject.kind.rawValue)
            rows.bind(5, subject.site)
            rows.bind(6, subject.name)
        }
        var events: [HistoryEvent] = []
        while try rows.next() {
            // A later version may have written kinds that this one does not know.
            guard let kind = HistorySubject.Kind(rawValue: rows.text(0)),
                let event = HistoryEvent.Kind(rawValue: rows.text(3))
            else { continue }
            let subject = HistorySubject(kind: kind, site: rows.text(1), name: rows.text(2))
            events.append(
                HistoryEvent(
                    HistoryEvent.Key(subject, event, text: rows.text(4)),
                    start: rows.int64(5),
                    end: rows.isNull(6) ? nil : rows.int64(6)
                )
            )
        }
        return events
    }
}
