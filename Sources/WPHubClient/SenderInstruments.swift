// SPDX-License-Identifier: MIT

import WPCore
import WPMetrics

/// The names of a sender's metrics.
package struct SenderMetricNames: Sendable, Hashable {
    /// Accepted reports.
    package var sent: String
    /// Attempts that failed.
    package var failures: String
    /// Dropped reports.
    package var dropped: String
    /// Buffered reports.
    package var waiting: String
    /// When the hub last accepted a report.
    package var lastSuccess: String

    package init(sent: String, failures: String, dropped: String, waiting: String, lastSuccess: String) {
        self.sent = sent
        self.failures = failures
        self.dropped = dropped
        self.waiting = waiting
        self.lastSuccess = lastSuccess
    }
}

/// The status of a sender, as metrics.
struct SenderInstruments: Sendable {
    let sent: Counter
    let failures: CounterFamily
    let dropped: CounterFamily

    /// Registers the families.
    /// - Parameters:
    ///   - noun: the plural noun for reports.
    ///   - status: returns the current status.
    /// - Throws: `MetricError` if a name is in use.
    init(
        _ registry: Registry,
        _ names: SenderMetricNames,
        noun: String,
        status: @escaping @Sendable () -> HubSender.Status
    ) throws(MetricError) {
        let subject = noun.prefix(1).uppercased() + noun.dropFirst()
        sent = try registry.counter(name: names.sent, help: "\(subject) that the hub has accepted.")
        failures = try registry.counter(
            name: names.failures,
            help: "Attempts to send \(noun) to the hub that failed, by reason.",
            labelNames: ["reason"]
        )
        dropped = try registry.counter(
            name: names.dropped,
            help: "\(subject) that were dropped: thinned during an outage, rejected by the hub, or too large.",
            labelNames: ["reason"]
        )
        try failures.prepare(SendFailure.Reason.allCases.map { [$0.rawValue] })
        try dropped.prepare(DropReason.allCases.map { [$0.rawValue] })
        try registry.function(
            name: names.waiting,
            help: "\(subject) waiting to be sent to the hub."
        ) { Double(status().buffered) }
        try registry.function(
            name: names.lastSuccess,
            help: "Time at which the hub last accepted one of the \(noun), in seconds since 1970.",
            unit: "seconds"
        ) { status().lastSuccess?.secondsSince1970 }
    }

    /// Why a report was dropped.
    enum DropReason: String, CaseIterable {
        case thinned
        case rejected = "refused"
        case oversize
    }

    func count(_ failure: SendFailure) {
        Self.child(failures, failure.reason.rawValue).increment()
    }

    func count(_ reason: DropReason, _ number: Int = 1) {
        guard number > 0 else { return }
        Self.child(dropped, reason.rawValue).increment(by: Double(number))
    }

    /// A child that ``init`` has prepared.
    private static func child(_ family: CounterFamily, _ reason: String) -> Counter {
        do {
            return try family.with(reason)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
