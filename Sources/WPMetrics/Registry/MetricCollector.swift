// SPDX-License-Identifier: MIT

/// A source of metrics that is asked at each gather.
///
/// Prefer it to instruments where the numbers already exist elsewhere: a family that is not returned is not exposed,
/// so what no longer exists leaves no stale series behind.
public protocol MetricCollector: Sendable {
    /// The families that it may return; a returned family must have one of these descriptors. Empty for a collector
    /// that does not know beforehand: its families are then only checked against each other at gather time.
    var descriptors: [MetricDescriptor] { get }

    /// Returns the families as they are now.
    ///
    /// It runs in the gather's task: it should answer in milliseconds, and heed cancellation if it waits.
    /// - Throws: anything; the gather reports it as a ``CollectionFailure`` and continues with the other collectors.
    func collect() async throws -> [MetricFamily]
}

/// A collector that never waits, so that a gather starts no task for it: its numbers are in memory already.
public protocol ImmediateCollector: MetricCollector {
    /// Returns the families as they are now; it must not block.
    /// - Throws: anything, as ``MetricCollector/collect()`` does.
    func collectNow() throws -> [MetricFamily]
}

extension ImmediateCollector {
    /// Returns the families as they are now.
    public func collect() async throws -> [MetricFamily] { try collectNow() }
}
