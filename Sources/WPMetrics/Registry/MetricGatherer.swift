// SPDX-License-Identifier: MIT

/// Something that gives all metrics at once, such as a ``Registry``: what an HTTP handler needs to know.
public protocol MetricGatherer: Sendable {
    /// Gives all metrics as they are now. It does not throw: what fails is told beside what did not.
    func gather() async -> Gathering
}
