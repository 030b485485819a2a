// SPDX-License-Identifier: MIT

import WPMetrics
import WPPostgres

/// Converts a result set to the series of a query's metrics.
struct RowMapping: Sendable {
    /// The converted result set.
    struct Outcome: Sendable {
        /// The series of each metric whose values replace earlier ones.
        var series: [[Metric]]
        /// The observations of each accumulating metric.
        var additions: [[(labels: LabelSet, value: Double)]]
        /// Why values were omitted, and how many.
        var invalid: String?
        var invalidCount = 0
        /// A column with a value that lost precision.
        var rounded: String?
        /// The number of rows with repeated labels, and the labels of the first.
        var duplicates = 0
        var duplicate: LabelSet?
    }

    /// A metric and the indices of its columns.
    private struct Column {
        let metric: QueryFile.Metric
        let value: Int
        let labels: [Int]
        /// Whether the previous metric has the same labels.
        let sharesLabels: Bool
    }

    private let columns: [Column]
    private let result: PostgresResult
    private let fixed: [Label]
    private let zone: TimeZoneRules

    /// - Throws: ``PostgresError`` if the columns do not match the metrics and their labels.
    init(
        _ result: PostgresResult,
        _ metrics: [QueryFile.Metric],
        fixed: [Label],
        zone: TimeZoneRules
    ) throws(PostgresError) {
        try Self.check(result.columns, metrics)
        let columnIndex = { (name: String) in
            guard let index = result.columns.firstIndex(where: { $0.name == name }) else {
                preconditionFailure("a checked result has no column \(name)")
            }
            return index
        }
        var columns: [Column] = []
        for metric in metrics {
            columns.append(
                Column(
                    metric: metric,
                    value: columnIndex(metric.name),
                    labels: metric.labels.map(columnIndex),
                    sharesLabels: columns.last?.metric.labels == metric.labels
                )
            )
        }
        self.columns = columns
        self.result = result
        self.fixed = fixed
        self.zone = zone
    }

    /// Checks whether a result with these columns fits the metrics.
    static func check(_ columns: [PostgresColumn], _ metrics: [QueryFile.Metric]) throws(PostgresError) {
        let expected = Set(metrics.map(\.name) + metrics.flatMap(\.labels))
        let found = columns.map(\.name)
        guard found.count != expected.count || Set(found) != expected else { return }
        throw PostgresError(
            .statement,
            "the query gives the columns \(found.isEmpty ? "none" : found.joined(separator: ", ")), and its metrics "
                + "need \(expected.sorted().joined(separator: ", ")): name each metric and label, and nothing else",
            sqlState: nil
        )
    }

    func map() -> Outcome {
        var outcome = Outcome(
            series: Array(repeating: [], count: columns.count),
            additions: Array(repeating: [], count: columns.count)
        )
        for (index, column) in columns.enumerated() where !column.metric.accumulates {
            // Results are retained, so avoid excess capacity.
            outcome.series[index].reserveCapacity(result.rowCount)
        }
        var seriesIndices: [[LabelSet: Int]] = Array(repeating: [:], count: columns.count)
        for row in 0..<result.rowCount {
            var labels = LabelSet.empty
            var isRepeated = false
            for (index, column) in columns.enumerated() {
                if !column.sharesLabels { labels = self.labels(row, column) }
                guard let value = value(row, column, &outcome) else { continue }
                if column.metric.accumulates {
                    outcome.additions[index].append((labels, value))
                } else if let seriesIndex = seriesIndices[index].updateValue(
                    outcome.series[index].count,
                    forKey: labels
                ) {
                    // The last row wins, as in query-exporter.
                    seriesIndices[index][labels] = seriesIndex
                    outcome.series[index][seriesIndex] = Metric(labels: labels, value: value)
                    isRepeated = true
                    outcome.duplicate = outcome.duplicate ?? labels
                } else {
                    outcome.series[index].append(Metric(labels: labels, value: value))
                }
            }
            if isRepeated { outcome.duplicates += 1 }
        }
        for (index, column) in columns.enumerated() where column.metric.kind == .enumeration {
            outcome.series[index] = outcome.series[index].flatMap { states(of: column.metric, $0) }
        }
        return outcome
    }

    private func labels(_ row: Int, _ column: Column) -> LabelSet {
        var labels = fixed
        for (name, columnIndex) in zip(column.metric.labels, column.labels) {
            labels.append(Label(name, text(row, columnIndex)))
        }
        do {
            return try LabelSet(labels)
        } catch {
            preconditionFailure("the labels of \(column.metric.name) were not checked with the file: \(error)")
        }
    }

    /// A label's value.
    private func text(_ row: Int, _ columnIndex: Int) -> String {
        let text = result[row, columnIndex] ?? ""
        guard result.columns[columnIndex].typeID == 16 else { return text }
        return text == "t" ? "true" : text == "f" ? "false" : text
    }

    /// The value of a metric in a row, or the index of its state; nil if there is none.
    private func value(_ row: Int, _ column: Column, _ outcome: inout Outcome) -> Double? {
        let metric = column.metric
        guard let text = result[row, column.value] else {
            switch metric.onNull {
            case .skip: return nil
            case .zero: return metric.kind == .enumeration ? nil : 0
            case .nan: return metric.kind == .gauge ? .nan : nil
            }
        }
        if metric.kind == .enumeration {
            if let state = metric.states.firstIndex(of: text) { return Double(state) }
            record("\(metric.name): the state is not one of \(metric.states.joined(separator: ", "))", &outcome)
            return nil
        }
        let number: Double
        switch ColumnValue(text, typeID: result.columns[column.value].typeID, zone: zone) {
        case .number(let value): number = value
        case .rounded(let value):
            number = value
            outcome.rounded = outcome.rounded ?? metric.name
        case .invalid(let reason):
            record("\(metric.name): \(reason)", &outcome)
            return nil
        }
        let isValid: Bool =
            switch metric.kind {
            case .counter: number >= 0
            case .histogram, .summary: number.isFinite
            case .gauge, .enumeration: true
            }
        if isValid { return number }
        record("\(metric.name): a \(metric.kind.rawValue) cannot take this number", &outcome)
        return nil
    }

    private func record(_ reason: String, _ outcome: inout Outcome) {
        outcome.invalid = outcome.invalid ?? reason
        outcome.invalidCount += 1
    }

    private func states(of metric: QueryFile.Metric, _ series: Metric) -> [Metric] {
        guard case .value(let index) = series.value else { return [] }
        let states = metric.states
        do {
            return try Metric.states(states, active: states[Int(index)], label: metric.name, labels: series.labels)
        } catch {
            preconditionFailure("the states of \(metric.name) were not checked with the file: \(error)")
        }
    }
}
