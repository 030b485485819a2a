// SPDX-License-Identifier: MIT

import WPMetrics

/// What the metrics of a sender are called.
package struct SenderMetricNames: Sendable, Hashable {
    /// Reports that the hub has taken.
    package var sent: String
    /// Attempts that failed.
    package var failures: String
    /// Reports that were given up.
    package var dropped: String
    /// Reports that wait.
    package var waiting: String
    /// When the hub last took a report.
    package var lastSuccess: String

    package init(sent: String, failures: String, dropped: String, waiting: String, lastSuccess: String) {
        self.sent = sent
        self.failures = failures
        self.dropped = dropped
        self.waiting = waiting
        self.lastSuccess = lastSuccess
    }
}

/// How sending fares, as metrics.
struct SenderInstruments: Sendable {
    let sent: Counter
    let failures: CounterFamily
    let dropped: CounterFamily

    /// Registers the families.
    /// - Parameters:
    ///   - noun: what reports are called, in the plural.
    ///   - status: gives how sending fares at the moment.
    /// - Throws: `MetricError` when a name is taken.
    init(
        _ registry: Registry,
        _ names: SenderMetricNames,
        noun: String,
        status: @escaping @Sendable () -> HubSender.Status
    ) throws(MetricError) {
        let subject = noun.prefix(1).uppercased() + noun.dropFirst()
        sent = try registry.counter(name: names.sent, help: "\(subject) that the hub has taken.")
        failures = try registry.counter(
            name: names.failures,
            help: "Attempts to send \(noun) to the hub that failed, by reason.",
            labelNames: ["reason"]
        )
        dropped = try registry.counter(
            name: names.dropped,
            help: "\(subject) that were given up: thinned during an outage, refused by the hub, or too large.",
            labelNames: ["reason"]
        )
        try failures.prepare(SendFailure.Reason.allCases.map { [$0.rawValue] })
        try dropped.prepare(DropReason.allCases.map { [$0.rawValue] })
        try registry.function(
            name: names.waiting,
            help: "\(subject) that the hub has not taken yet."
        ) { Double(status().buffered) }
        try registry.function(
            name: names.lastSuccess,
            help: "When the hub last took one of the \(noun), in seconds since 1970.",
            unit: "seconds"
        ) { status().lastSuccess }
    }

    /// Why a report was given up.
    enum DropReason: String, CaseIterable {
        case thinned, refused, oversize
    }

    func count(_ failure: SendFailure) {
        try? failures.with(failure.reason.rawValue).increment()
    }

    func count(_ reason: DropReason, _ number: Int = 1) {
        guard number > 0 else { return }
        _ = try? dropped.with(reason.rawValue).increment(by: Double(number))
    }
}
