// SPDX-License-Identifier: MIT

import WPMetrics
import WPPostgres

/// Turns a result set into the series of a query's metrics.
struct RowMapping: Sendable {
    /// What a result set came to.
    struct Outcome: Sendable {
        /// The series of each metric that shows what the rows say.
        var series: [[Metric]]
        /// The observations of each metric that adds up.
        var additions: [[(labels: LabelSet, value: Double)]]
        /// Why a value was left out, and how many were.
        var invalid: String?
        var invalidCount = 0
        /// A column with a number that lost digits.
        var rounded: String?
        /// Rows whose labels had been there before, and the labels of the first.
        var duplicates = 0
        var duplicate: LabelSet?
    }

    /// A metric and the places of its columns.
    private struct Column {
        let metric: QueryFile.Metric
        let value: Int
        let labels: [Int]
        /// Whether the metric before has the same labels.
        let sharesLabels: Bool
    }

    private let columns: [Column]
    private let result: PostgresResult
    private let fixed: [Label]
    private let zone: TimeZoneRules

    /// - Throws: ``PostgresError`` when the columns are not those that the metrics and their labels name.
    init(
        _ result: PostgresResult,
        _ metrics: [QueryFile.Metric],
        fixed: [Label],
        zone: TimeZoneRules
    ) throws(PostgresError) {
        try Self.check(result.columns, metrics)
        let place = { (name: String) in result.columns.firstIndex { $0.name == name } ?? 0 }
        var columns: [Column] = []
        for metric in metrics {
            columns.append(
                Column(
                    metric: metric,
                    value: place(metric.name),
                    labels: metric.labels.map(place),
                    sharesLabels: columns.last?.metric.labels == metric.labels
                )
            )
        }
        self.columns = columns
        self.result = result
        self.fixed = fixed
        self.zone = zone
    }

    /// Whether a result with these columns serves the metrics.
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
        var places: [[LabelSet: Int]] = Array(repeating: [:], count: columns.count)
        for row in 0..<result.rowCount {
            var labels = LabelSet.empty
            var isRepeated = false
            for (index, column) in columns.enumerated() {
                if !column.sharesLabels { labels = self.labels(row, column) }
                guard let value = value(row, column, &outcome) else { continue }
                if column.metric.accumulates {
                    outcome.additions[index].append((labels, value))
                } else if let place = places[index].updateValue(outcome.series[index].count, forKey: labels) {
                    // The last row wins, as in query-exporter.
                    places[index][labels] = place
                    outcome.series[index][place] = Metric(labels: labels, value: value)
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
        for (name, place) in zip(column.metric.labels, column.labels) {
            var text = result[row, place] ?? ""
            if result.columns[place].typeID == 16 { text = text == "t" ? "true" : text == "f" ? "false" : text }
            labels.append(Label(name, text))
        }
        // The names were checked with the file.
        return (try? LabelSet(labels)) ?? .empty
    }

    /// The number of a metric in a row, or the number of its state; nil when there is none to show.
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
            note("\(metric.name): the state is not one of \(metric.states.joined(separator: ", "))", &outcome)
            return nil
        }
        let number: Double
        switch ColumnValue(text, typeID: result.columns[column.value].typeID, zone: zone) {
        case .number(let value): number = value
        case .rounded(let value):
            number = value
            outcome.rounded = outcome.rounded ?? metric.name
        case .invalid(let reason):
            note("\(metric.name): \(reason)", &outcome)
            return nil
        }
        let isFine: Bool =
            switch metric.kind {
            case .counter: number >= 0
            case .histogram, .summary: number.isFinite
            case .gauge, .enumeration: true
            }
        if isFine { return number }
        note("\(metric.name): a \(metric.kind.rawValue) cannot take this number", &outcome)
        return nil
    }

    private func note(_ reason: String, _ outcome: inout Outcome) {
        outcome.invalid = outcome.invalid ?? reason
        outcome.invalidCount += 1
    }

    private func states(of metric: QueryFile.Metric, _ series: Metric) -> [Metric] {
        guard case .value(let index) = series.value else { return [] }
        let states = metric.states
        return (try? Metric.states(states, active: states[Int(index)], label: metric.name, labels: series.labels)) ?? []
    }
}
