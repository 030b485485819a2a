// SPDX-License-Identifier: MIT

import Synchronization
import WPLogging
import WPMetrics
import WPModel
import WPPostgres

/// What a database says of a query that it has not run.
package struct QueryDescription: Sendable, Hashable {
    /// How it ended.
    package enum Outcome: Sendable, Hashable {
        /// The columns are those that the metrics and labels name.
        case fits
        /// They are not, or the database refuses the session or the statement.
        case misfit
        /// The database cannot be reached, so that nothing is known.
        case noAnswer
    }

    package let outcome: Outcome
    /// The query, its database, and the columns or the reason.
    package let text: String

    init(_ outcome: Outcome, _ text: String) {
        (self.outcome, self.text) = (outcome, text)
    }
}

/// One query with one set of parameters on one database.
final class QueryTask: Sendable {
    private struct State {
        /// The failure that was logged last; nil after a success.
        var failure: String?
        /// Failures that a repetition will not mend, in a row.
        var faults = 0
        var pausedUntil = Duration.zero
        var isSlow = false
        var hasLoggedRounding = false
        var duplicate: LabelSet?
        var invalid: String?
        /// The labels of the last result's rows.
        var rowLabels: [LabelSet] = []
    }

    /// The longest pause of a query that the server does not understand.
    static let longestPause = Duration.seconds(300)

    let id: Int
    let query: QueryFile.Query
    private let metrics: [QueryFile.Metric]
    private let statement: PostgresStatement
    private let database: QueryFile.Database
    private let session: any PostgresDatabase
    private let keep: Duration
    private let families: QueryFamilies
    private let instruments: QueryInstruments
    private let surroundings: QueryRunner.Surroundings
    private let logger: Logger
    private let databaseLabels: [String]
    private let fixedLabels: [Label]
    private let state = Mutex(State())

    init(
        id: Int,
        query: QueryFile.Query,
        metrics: [QueryFile.Metric],
        parameters: [PostgresStatement.Parameter],
        database: QueryFile.Database,
        session: any PostgresDatabase,
        keep: Duration,
        families: QueryFamilies,
        instruments: QueryInstruments,
        surroundings: QueryRunner.Surroundings,
        logger: Logger
    ) {
        (self.id, self.query, self.metrics, self.database) = (id, query, metrics, database)
        statement = PostgresStatement(query.sql, parameters: parameters, timeout: query.timeout)
        (self.session, self.keep, self.families) = (session, keep, families)
        (self.instruments, self.surroundings, self.logger) = (instruments, surroundings, logger)
        fixedLabels = database.fixedLabels
        databaseLabels = fixedLabels.map(\.value)
    }

    private var fields: LogFields { ["query": .string(query.name), "database": .string(database.name)] }
    private var labels: [String] { databaseLabels + [query.name] }
    private var now: Duration { surroundings.timeSource.now.monotonic }

    /// Whether a query that failed for good waits before it is tried again.
    var isPaused: Bool { now < state.withLock { $0.pausedUntil } }

    /// Runs the query and stores what it gives.
    /// - Returns: why it failed; nil when it did not.
    func runOnce() async -> String? {
        let start = now
        do {
            let result = try await session.run(statement)
            let mapping = try RowMapping(
                result,
                metrics,
                fixed: fixedLabels,
                zone: surroundings.zone,
                earlier: state.withLock { $0.rowLabels }
            )
            let outcome = mapping.map()
            families.store(id, query.metrics, outcome)
            succeed(outcome, result.rowCount, took: now - start)
            return outcome.invalid.map { "\(query.name) on \(database.name): \($0)" }
        } catch let error as PostgresError {
            fail(error)
            return "\(query.name) on \(database.name): \(error)"
        } catch {
            fail(PostgresError(.statement, "\(error)"))
            return "\(query.name) on \(database.name): \(error)"
        }
    }

    /// Which columns the query would give.
    func describe() async -> QueryDescription {
        let name = "\(query.name) on \(database.name)"
        do {
            let columns = try await session.describe(statement)
            try RowMapping.check(columns, metrics)
            if let money = columns.first(where: { column in
                column.typeID == 790 && metrics.contains { $0.name == column.name }
            }) {
                return QueryDescription(.misfit, "\(name): \(money.name) has the type money: cast it to numeric")
            }
            return QueryDescription(.fits, "\(name): \(columns.map(\.name).joined(separator: ", "))")
        } catch let error as PostgresError where error.code == .connect || error.code == .connectionLost {
            return QueryDescription(.noAnswer, "\(name): \(error)")
        } catch {
            return QueryDescription(.misfit, "\(name): \(error)")
        }
    }

    /// Notes ticks that came while the query ran.
    func skipped(_ ticks: Int, of interval: Duration) {
        let isChange = state.withLock { state in
            defer { state.isSlow = ticks > 0 }
            return ticks > 0 && !state.isSlow
        }
        guard isChange else { return }
        var fields = fields
        fields.append("interval_ms", .milliseconds(interval))
        logger.warn("A query takes longer than its interval; runs are skipped", fields)
    }

    private func succeed(_ outcome: RowMapping.Outcome, _ rows: Int, took: Duration) {
        instruments.ended(labels, outcome.invalid == nil ? "success" : "invalid-value")
        instruments.succeeded(
            labels,
            took: took,
            at: surroundings.timeSource.now,
            rows: rows,
            duplicates: outcome.duplicates
        )
        let before = state.withLock { state in
            let before = state
            (state.failure, state.faults, state.pausedUntil) = (nil, 0, .zero)
            (state.invalid, state.duplicate, state.rowLabels) = (outcome.invalid, outcome.duplicate, outcome.rowLabels)
            if outcome.rounded != nil { state.hasLoggedRounding = true }
            return before
        }
        if before.failure != nil { logger.info("A query succeeds again", fields) }
        if let reason = outcome.invalid, reason != before.invalid {
            var fields = fields
            fields.append("error", .string(reason))
            fields.append("values", .int(outcome.invalidCount))
            logger.warn("Values of a query cannot be shown", fields)
        }
        if let duplicate = outcome.duplicate, duplicate != before.duplicate {
            var fields = fields
            fields.append("labels", .describing(duplicate.description))
            fields.append("rows", .int(outcome.duplicates))
            logger.warn("Rows of a query have the same labels; the last one is shown", fields)
        }
        if let column = outcome.rounded, !before.hasLoggedRounding {
            var fields = fields
            fields.append("column", .string(column))
            logger.warn("Numbers beyond 2^53 lose digits, because a sample is a 64-bit float", fields)
        }
    }

    private func fail(_ error: PostgresError) {
        guard error.code != .cancelled else { return }
        switch error.code {
        case .connect, .refused, .libraryMissing: instruments.databaseFailed(databaseLabels)
        case .timeout: instruments.ended(labels, "timeout")
        default: instruments.ended(labels, "error")
        }
        families.fail(id, query.metrics, keep: keep)
        let now = now
        let isChange = state.withLock { state in
            if error.code == .statement {
                state.faults += 1
                let base = max(.seconds(1), interval)
                state.pausedUntil = now + min(Self.longestPause, base * (1 << min(state.faults, 9))) - base / 2
            }
            defer { state.failure = error.description }
            return state.failure != error.description
        }
        guard isChange else { return }
        var fields = fields
        fields.append("error", .string(error.description))
        fields.append("reason", .string(error.code.rawValue))
        logger.error("A query failed", fields)
    }

    private var interval: Duration {
        if case .every(let interval, _) = query.schedule { return interval }
        return .seconds(15)
    }
}
