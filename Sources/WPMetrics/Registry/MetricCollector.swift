// SPDX-License-Identifier: MIT

/// A source of metrics, polled at each gather.
///
/// Prefer it to instruments for numbers that already exist elsewhere: only returned families are exposed, so there are
/// no stale series.
public protocol MetricCollector: Sendable {
    /// The families that it may return; a returned family must have one of these descriptors. Empty if they are not
    /// known in advance; families are then checked at gather time.
    var descriptors: [MetricDescriptor] { get }

    /// Returns the current families.
    ///
    /// Runs in the task of the gather: it should return within milliseconds, and respect cancellation.
    /// - Throws: anything; the gather reports it as a ``CollectionFailure`` and continues with the other collectors.
    func collect() async throws -> [MetricFamily]
}

/// A collector that never waits because its numbers are in memory, so that a gather starts no task for it.
public protocol ImmediateCollector: MetricCollector {
    /// Returns the current families; must not block.
    /// - Throws: anything, as ``MetricCollector/collect()`` does.
    func collectNow() throws -> [MetricFamily]
}

extension ImmediateCollector {
    /// Returns the current families.
    public func collect() async throws -> [MetricFamily] { try collectNow() }
}
