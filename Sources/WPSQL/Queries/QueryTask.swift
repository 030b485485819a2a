// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPLogging
import WPMetrics
import WPPostgres

/// Runs one query with one parameter set on one database, and stores its result.
final class QueryTask: Sendable {
    /// The result of a run.
    struct Run: Sendable {
        /// Why it failed; nil if it did not.
        var failure: String?
        /// Whether the database was unreachable, so that a retry may soon succeed.
        var isUnreachable = false
    }

    private struct State {
        /// The last logged failure; nil after a success.
        var failure: String?
        /// The number of consecutive permanent failures.
        var faults = 0
        var pausedUntil = Duration.zero
        var isSlow = false
        var hasLoggedRounding = false
        var duplicate: LabelSet?
        var clash: LabelSet?
        var invalid: String?
        /// The query's index in the file.
        var rank: Int
        /// The last run: its duration, the wait for a session, and its cause.
        var took = Duration.zero
        var waited = Duration.zero
        var waitedFor: [String] = []
        var isUnreachable = false
    }

    /// The longest pause of a query that the server rejects.
    static let longestPause = Duration.seconds(300)

    /// Unique among the tasks of the program.
    let id: Int
    let definition: QueryDefinition
    let session: any PostgresDatabase
    private let statement: PostgresStatement
    private let sink: ResultSink
    private let timeSource: any TimeSource
    private let logger: Logger
    private let labels: [String]
    private let fixedLabels: [Label]
    private let state: Mutex<State>

    init(
        id: Int,
        rank: Int,
        _ definition: QueryDefinition,
        session: any PostgresDatabase,
        sink: ResultSink,
        timeSource: any TimeSource,
        logger: Logger
    ) {
        (self.id, self.definition, self.session, self.sink) = (id, definition, session, sink)
        (self.timeSource, self.logger) = (timeSource, logger)
        var statement = PostgresStatement(
            definition.query.statements[definition.set],
            timeout: definition.query.timeout
        )
        statement.name = definition.name
        self.statement = statement
        fixedLabels = definition.database.fixedLabels
        labels = definition.labels
        state = Mutex(State(rank: rank))
    }

    private var query: QueryFile.Query { definition.query }
    private var metrics: [QueryFile.Metric] { definition.metrics }
    private var now: Duration { timeSource.now.monotonic }
    private var name: String { "\(definition.name) on \(definition.database.name)" }
    private var fields: LogFields {
        ["query": .string(definition.name), "database": .string(definition.database.name)]
    }

    /// Whether a permanently failed query waits before it is retried.
    var isPaused: Bool { now < state.withLock { $0.pausedUntil } }

    /// Updates the query's index after a reload.
    func move(to rank: Int) {
        state.withLock { $0.rank = rank }
    }

    /// Runs the query and stores its result.
    func run() async -> Run {
        let start = now
        do {
            let result = try await session.run(statement) { [self] waitedFor in began(start, waitedFor) }
            let outcome = try RowMapping(result, metrics, fixed: fixedLabels, zone: definition.zone).map()
            let (rank, waited) = state.withLock { ($0.rank, $0.waited) }
            let clash = try sink.use { (target) throws(PostgresError) in
                try target.families.store(id, rank: rank, query.metrics, outcome)
            }
            succeed(outcome, clash, result.rowCount, took: now - start - waited)
            return Run(failure: outcome.invalid.map { "\(name): \($0)" })
        } catch {
            let fault = error as? PostgresError ?? PostgresError(.statement, "\(error)")
            fail(fault, since: start)
            return Run(failure: "\(name): \(fault)", isUnreachable: isUnreachable(fault))
        }
    }

    /// Describes the columns of the query.
    func describe() async -> QueryDescription {
        do {
            let columns = try await session.describe(statement)
            try RowMapping.check(columns, metrics)
            if let money = columns.first(where: { column in
                column.typeID == 790 && metrics.contains { $0.name == column.name }
            }) {
                return QueryDescription(.mismatch, "\(name): \(money.name) has the type money: cast it to numeric")
            }
            return QueryDescription(.matches, "\(name): \(columns.map(\.name).joined(separator: ", "))")
        } catch let error as PostgresError where error.code == .connect || error.code == .connectionLost {
            return QueryDescription(.unreachable, "\(name): \(error)")
        } catch {
            return QueryDescription(.mismatch, "\(name): \(error)")
        }
    }

    /// Records runs that were due while the query was running or waiting.
    func skipped(_ count: Int) {
        let (isChange, last) = state.withLock { state in
            defer { state.isSlow = count > 0 }
            return (count > 0 && !state.isSlow && !state.isUnreachable, state)
        }
        guard isChange else { return }
        var fields = fields
        fields.append("skipped", .int(count))
        fields.append("took_ms", .milliseconds(last.took))
        guard last.waited * 2 > last.took else {
            return logger.warn("A query takes longer than its interval; runs are skipped", fields)
        }
        fields.append("waited_ms", .milliseconds(last.waited))
        fields.append("waits_for", .string(last.waitedFor.joined(separator: ", ")))
        logger.warn("A query waits longer than its interval for a session; runs are skipped", fields)
    }

    private func began(_ start: Duration, _ waitedFor: [String]) {
        let waited = now - start
        state.withLock { ($0.waited, $0.waitedFor) = (waited, waitedFor) }
        sink.use { $0.instruments.waited(labels, waited) }
    }

    private func isUnreachable(_ error: PostgresError) -> Bool {
        switch error.code {
        case .connect, .refused: true
        // It is unknown whether the server ran it.
        case .connectionLost: definition.database.isReadOnly
        default: false
        }
    }

    private func succeed(_ outcome: RowMapping.Outcome, _ clash: QueryFamilies.Clash?, _ rows: Int, took: Duration) {
        sink.use { target in
            target.instruments.ended(labels, outcome.invalid == nil ? "success" : "invalid-value")
            target.instruments.succeeded(
                labels,
                task: id,
                of: definition.siblings,
                took: took,
                at: timeSource.now,
                rows: rows,
                duplicates: outcome.duplicates + (clash?.count ?? 0)
            )
        }
        let before = state.withLock { state in
            let before = state
            (state.failure, state.faults, state.pausedUntil, state.isUnreachable) = (nil, 0, .zero, false)
            (state.invalid, state.duplicate) = (outcome.invalid, outcome.duplicate)
            (state.clash, state.took) = (clash?.labels, took + state.waited)
            if outcome.rounded != nil { state.hasLoggedRounding = true }
            return before
        }
        var fields = fields
        fields.append("rows", .int(rows))
        fields.append("took_ms", .milliseconds(took))
        fields.append("waited_ms", .milliseconds(before.waited))
        logger.debug("A query succeeded", fields)
        if before.failure != nil { logger.info("A query succeeds again", self.fields) }
        warn(outcome, clash, before)
    }

    private func warn(_ outcome: RowMapping.Outcome, _ clash: QueryFamilies.Clash?, _ before: State) {
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
        if let clash, clash.labels != before.clash {
            var fields = fields
            fields.append("labels", .describing(clash.labels.description))
            fields.append("rows", .int(clash.count))
            logger.warn(
                "Rows have the labels of another query or set of parameters; the one further down in the file is shown",
                fields
            )
        }
        if let column = outcome.rounded, !before.hasLoggedRounding {
            var fields = fields
            fields.append("column", .string(column))
            logger.warn("Numbers beyond 2^53 lose digits, because a sample is a 64-bit float", fields)
        }
    }

    private func fail(_ error: PostgresError, since start: Duration) {
        guard error.code != .cancelled else { return }
        let now = now
        sink.use { target in
            switch error.code {
            case .connect, .refused, .libraryMissing:
                target.instruments.databaseFailed(fixedLabels.map(\.value))
            case .timeout: target.instruments.ended(labels, "timeout")
            case .busy:
                target.instruments.waited(labels, now - start)
                target.instruments.ended(labels, "error")
            default: target.instruments.ended(labels, "error")
            }
            target.families.fail(id, query.metrics, keep: definition.keep)
        }
        let isChange = state.withLock { state in
            if error.isPermanent {
                state.faults += 1
                let base = max(.seconds(1), interval)
                state.pausedUntil = now + min(Self.longestPause, base * (1 << min(state.faults, 9))) - base / 2
            }
            state.took = now - start
            if error.code == .busy { state.waited = state.took }
            state.isUnreachable = isUnreachable(error)
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
