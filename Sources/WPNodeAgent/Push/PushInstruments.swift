// SPDX-License-Identifier: MIT

import WPMetrics

/// How pushes fare, as metrics.
struct PushInstruments: Sendable {
    let pushes: Counter
    let failures: CounterFamily
    let dropped: CounterFamily

    /// Registers the families.
    /// - Parameter state: gives how pushes fare at the moment.
    /// - Throws: `MetricError` when a name is taken.
    init(_ registry: Registry, state: @escaping @Sendable () -> HubPusher.Report) throws(MetricError) {
        pushes = try registry.counter(
            name: "winpower_node_pushes_total",
            help: "Snapshots that the hub has taken."
        )
        failures = try registry.counter(
            name: "winpower_node_push_failures_total",
            help: "Attempts to push a snapshot that failed, by reason.",
            labelNames: ["reason"]
        )
        dropped = try registry.counter(
            name: "winpower_node_push_dropped_snapshots_total",
            help: "Snapshots that were given up: thinned during an outage, refused by the hub, or too large.",
            labelNames: ["reason"]
        )
        try failures.prepare(PushFailure.Reason.allCases.map { [$0.rawValue] })
        try dropped.prepare(DropReason.allCases.map { [$0.rawValue] })
        try registry.function(
            name: "winpower_node_push_buffered_snapshots",
            help: "Snapshots that the hub has not taken yet."
        ) { Double(state().buffered) }
        try registry.function(
            name: "winpower_node_push_last_success_timestamp_seconds",
            help: "When the hub last took a snapshot, in seconds since 1970.",
            unit: "seconds"
        ) { state().lastSuccess }
    }

    /// Why a snapshot was given up.
    enum DropReason: String, CaseIterable {
        case thinned, refused, oversize
    }

    func count(_ failure: PushFailure) {
        try? failures.with(failure.reason.rawValue).increment()
    }

    func count(_ reason: DropReason, _ number: Int = 1) {
        guard number > 0 else { return }
        _ = try? dropped.with(reason.rawValue).increment(by: Double(number))
    }
}
