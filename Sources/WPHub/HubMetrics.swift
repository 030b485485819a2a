// SPDX-License-Identifier: MIT

import WPCore
import WPFleet
import WPHistory
import WPMetrics
import WPModel

/// Metrics of a hub: accepted and rejected reports, and the status of its subjects.
final class HubMetrics: ImmediateCollector {
    let descriptors: [MetricDescriptor]
    private let fleet: Fleet
    private let intake: ReportIntake
    private let reports, refused, rejected, duplicates, implausible, subjects, skew: MetricDescriptor

    init(_ fleet: Fleet, _ intake: ReportIntake) throws(MetricError) {
        self.fleet = fleet
        self.intake = intake
        reports = try MetricDescriptor(
            name: "winpower_hub_reports_total",
            help: "Accepted reports, by kind.",
            type: .counter,
            labelNames: ["kind"]
        )
        refused = try MetricDescriptor(
            name: "winpower_hub_reports_refused_total",
            help: "Rejected reports, by reason.",
            type: .counter,
            labelNames: ["reason"]
        )
        rejected = try MetricDescriptor(
            name: "winpower_hub_devices_rejected_total",
            help: "Devices in accepted reports that were rejected, by reason.",
            type: .counter,
            labelNames: ["reason"]
        )
        duplicates = try MetricDescriptor(
            name: "winpower_hub_duplicates_total",
            help: "Snapshots and readings that had already been received.",
            type: .counter
        )
        implausible = try MetricDescriptor(
            name: "winpower_hub_implausible_values_total",
            help:
                "Reported values that were left out because they can't be, such as a processor that is busy at -500 %.",
            type: .counter
        )
        subjects = try MetricDescriptor(
            name: "winpower_hub_subjects",
            help: "UPSes and nodes, by kind and state.",
            type: .gauge,
            labelNames: ["kind", "state"]
        )
        skew = try MetricDescriptor(
            name: "winpower_hub_sender_clock_skew_seconds",
            help: "Time by which a sender's clock is ahead of the hub's.",
            type: .gauge,
            unit: "seconds",
            labelNames: ["sender"]
        )
        descriptors = [reports, refused, rejected, duplicates, implausible, subjects, skew]
    }

    func collectNow() throws -> [MetricFamily] {
        let statistics = intake.statistics
        var fresh: [Metric] = []
        for kind in HistorySubject.Kind.allCases {
            let counts = fleet.counts(of: kind)
            for state in Fleet.Freshness.allCases {
                fresh.append(
                    Metric(
                        labels: try LabelSet(["kind": kind.rawValue, "state": state.rawValue]),
                        value: Double(counts[state] ?? 0)
                    )
                )
            }
        }
        return [
            MetricFamily(
                reports,
                try HistorySubject.Kind.allCases.map { kind in
                    Metric(
                        labels: try LabelSet(["kind": kind.rawValue]),
                        value: Double(statistics.received[kind.rawValue] ?? 0)
                    )
                }
            ),
            MetricFamily(
                refused,
                try ReportIntake.Refusal.allCases.map { reason in
                    Metric(
                        labels: try LabelSet(["reason": reason.rawValue]),
                        value: Double(statistics.refused[reason] ?? 0)
                    )
                }
            ),
            MetricFamily(
                rejected,
                try [ReportIntake.Refusal.malformed, .name, .tooMany].map { reason in
                    Metric(
                        labels: try LabelSet(["reason": reason.rawValue]),
                        value: Double(statistics.rejected[reason] ?? 0)
                    )
                }
            ),
            MetricFamily(duplicates, value: Double(statistics.duplicates)),
            MetricFamily(implausible, value: Double(statistics.implausible)),
            MetricFamily(subjects, fresh),
            MetricFamily(
                skew,
                try statistics.skews.map { sender, seconds in
                    Metric(labels: try LabelSet(["sender": sender.text]), value: (seconds * 1000).rounded() / 1000)
                }
            ),
        ]
    }
}
