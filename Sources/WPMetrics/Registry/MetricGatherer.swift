// SPDX-License-Identifier: MIT

/// A source of all metrics at once, such as a ``Registry``: what an HTTP handler needs.
public protocol MetricGatherer: Sendable {
    /// Returns all current metrics. It does not throw: failures are reported with the result.
    func gather() async -> Gathering
}
