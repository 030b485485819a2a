// SPDX-License-Identifier: MIT

import WPPostgres

/// Subjects as the parameters of statements.
enum PostgresHistorySubjects {
    /// The rows of ``columns(of:)`` with their numbers, from 1: `k(kind, site, name, place)`.
    static let rows = "unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(kind, site, name, place)"

    /// The parameters $1 to $3: kinds, and sites and names in hexadecimal.
    static func columns(of subjects: [HistorySubject]) -> [PostgresStatement.Parameter] {
        [
            .text(PostgresText.array(subjects.map(\.kind.rawValue))),
            .text(PostgresText.array(subjects.map { PostgresText.hex($0.site.utf8) })),
            .text(PostgresText.array(subjects.map { PostgresText.hex($0.name.utf8) })),
        ]
    }

    /// Creates the subjects that do not exist.
    /// - Parameter subjects: in ascending order, so that concurrent transactions do not wait for each other in a cycle.
    static func add(_ subjects: [HistorySubject], _ session: any PostgresSessioning) async throws(PostgresError) {
        _ = try await session.query(
            PostgresStatement(
                "INSERT INTO winpower_history_subject (kind, site, name) SELECT kind, decode(site, 'hex'), "
                    + "decode(name, 'hex') FROM \(rows) ORDER BY place ON CONFLICT DO NOTHING",
                parameters: columns(of: subjects)
            )
        )
    }
}
