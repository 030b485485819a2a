// SPDX-License-Identifier: MIT

import WPCore
import WPFleet
import WPHistory
import WPMetrics
import WPModel

/// Metrics of a hub: accepted and rejected reports, and the status of its subjects.
enum HubMetrics {
    static func collector(
        _ fleet: Fleet,
        _ intake: ReportIntake
    ) throws(MetricError) -> RowCollector<ReportIntake.Statistics> {
        RowCollector(
            [
                FamilyRows([
                    try counter("reports_total", "Accepted reports, by kind.", "kind")
                ]) { statistics in
                    try labelled("kind", HistorySubject.Kind.allCases) { statistics.received[$0.rawValue] }
                },
                FamilyRows([
                    try counter("reports_refused_total", "Rejected reports, by reason.", "reason")
                ]) { statistics in
                    try labelled("reason", ReportIntake.RejectionReason.allCases) { statistics.rejectedReports[$0] }
                },
                FamilyRows([
                    try counter(
                        "devices_rejected_total",
                        "Devices in accepted reports that were rejected, by reason.",
                        "reason"
                    )
                ]) { statistics in
                    try labelled("reason", [ReportIntake.RejectionReason.malformed, .name, .tooMany]) {
                        statistics.rejectedDevices[$0]
                    }
                },
                FamilyRows([
                    try FamilyRow(
                        "winpower_hub_duplicates_total",
                        "Snapshots and readings that had already been received.",
                        type: .counter
                    ) { Double($0.duplicates) },
                    try FamilyRow(
                        "winpower_hub_implausible_values_total",
                        "Reported values that were ignored as impossible, such as -500 % of processor usage.",
                        type: .counter
                    ) { Double($0.implausible) },
                ]),
                FamilyRows([
                    try FamilyRow(
                        "winpower_hub_subjects",
                        "UPSes and nodes, by kind and state.",
                        labels: ["kind", "state"]
                    ) { $0 }
                ]) { _ in
                    try HistorySubject.Kind.allCases.flatMap { kind in
                        let counts = fleet.counts(of: kind)
                        return try Fleet.Freshness.allCases.map { state in
                            (
                                try LabelSet(["kind": kind.rawValue, "state": state.rawValue]),
                                Double(counts[state] ?? 0)
                            )
                        }
                    }
                },
                FamilyRows([
                    try FamilyRow(
                        "winpower_hub_sender_clock_skew_seconds",
                        "Time by which a sender's clock is ahead of the hub's.",
                        unit: "seconds",
                        labels: ["sender"]
                    ) { ($0 * 1000).rounded() / 1000 }
                ]) { try $0.skews.map { (try LabelSet(["sender": $0.text]), $1) } },
            ]
        ) { intake.statistics }
    }

    /// A counter that is its own subject.
    private static func counter(
        _ name: String,
        _ help: String,
        _ label: String
    ) throws(MetricError) -> FamilyRow<Int> {
        try FamilyRow("winpower_hub_\(name)", help, type: .counter, labels: [label]) { Double($0) }
    }

    /// Counts by label value; 0 for values that have not occurred yet.
    private static func labelled<Value: RawRepresentable<String>>(
        _ label: String,
        _ values: [Value],
        _ count: (Value) -> Int?
    ) throws -> [Labelled<Int>] {
        try values.map { (try LabelSet([label: $0.rawValue]), count($0) ?? 0) }
    }
}
