// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPMetrics
public import WPModel

/// Counters and histograms of collection: the cycles, and the requests of the device source.
public final class CollectionInstruments: DeviceSourceObserver {
    private let duration: Histogram
    private let errors: [FailureReason: Counter]
    private let skipped: Counter
    private let implausible: Counter
    private let rejectedRecords: Counter
    private let logins: [LoginResult: Counter]
    private let exchanges: [SourceEndpoint: Histogram]
    /// When the token expires, on the monotonic clock; nil without a token.
    private let tokenExpiry = Mutex<Duration?>(nil)
    private let verificationDisabled: Gauge

    /// Creates and registers the metrics. Every series exists from the start, at 0.
    /// - Parameters:
    ///   - registry: the registry.
    ///   - timeSource: the clock of ``tokenChanged(expiry:)``.
    ///   - isTLSVerificationDisabled: whether the source accepts any certificate, published as a metric.
    /// - Throws: ``WPMetrics/MetricError`` if one of the names is already registered.
    public init(
        registry: Registry,
        timeSource: any TimeSource,
        isTLSVerificationDisabled: Bool = false
    ) throws(MetricError) {
        duration = try registry.histogram(
            name: "winpower_exporter_collection_duration_seconds",
            help: "Duration of a collection cycle: polling, metering and saving.",
            unit: "seconds",
            buckets: try HistogramBuckets([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
        )
        errors = try Self.children(
            of: try registry.counter(
                name: "winpower_exporter_scrape_errors_total",
                help: "Collection cycles that failed, by reason.",
                labelNames: ["reason"]
            )
        )
        skipped = try registry.counter(
            name: "winpower_exporter_collections_skipped_total",
            help: "Collection cycles that were skipped because the previous one was still running."
        )
        implausible = try registry.counter(
            name: "winpower_exporter_implausible_samples_total",
            help: "Power samples that exceed the device's capacity and were not counted as energy."
        )
        rejectedRecords = try registry.counter(
            name: "winpower_exporter_device_records_rejected_total",
            help: "Device records from WinPower that could not be used, such as those without an id."
        )
        logins = try Self.children(
            of: try registry.counter(
                name: "winpower_exporter_logins_total",
                help: "Logins to WinPower, by result.",
                labelNames: ["result"]
            )
        )
        exchanges = try Self.children(
            of: try registry.histogram(
                name: "winpower_api_response_time_seconds",
                help: "Duration of an HTTP exchange with WinPower.",
                unit: "seconds",
                labelNames: ["endpoint"],
                buckets: try HistogramBuckets([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
            )
        )
        verificationDisabled = try registry.gauge(
            name: "winpower_exporter_tls_verification_disabled",
            help: "1 if any certificate of the WinPower server is accepted, which leaves the password unprotected."
        )
        verificationDisabled.set(isTLSVerificationDisabled ? 1 : 0)
        try registry.function(
            name: "winpower_token_expiry_seconds",
            help: "Seconds until the token is treated as expired; 0 without a token.",
            unit: "seconds"
        ) { [self] in tokenExpiry.withLock { $0.map { max(0, ($0 - timeSource.now.monotonic).inSeconds) } ?? 0 } }
    }

    /// Records a completed cycle.
    /// - Parameters:
    ///   - duration: the duration of the cycle.
    ///   - failure: why it failed; nil if it did not.
    package func cycleEnded(duration: Duration, failure: FailureReason?) {
        self.duration.observe(duration)
        if let failure { errors[failure]?.increment() }
    }

    /// Counts ticks skipped because a cycle was still running.
    public func cyclesSkipped(_ count: Int) {
        skipped.increment(by: Double(count))
    }

    /// Counts implausible power samples.
    package func samplesRejected(_ count: Int) {
        implausible.increment(by: Double(count))
    }

    /// Counts unusable device records.
    public func recordsRejected(_ count: Int) {
        rejectedRecords.increment(by: Double(count))
    }

    /// Records the duration of an exchange.
    public func exchangeEnded(_ endpoint: SourceEndpoint, duration: Duration) {
        exchanges[endpoint]?.observe(duration)
    }

    /// Counts a login.
    public func loginEnded(_ result: LoginResult) {
        logins[result]?.increment()
    }

    /// Records a new source, which has no token yet.
    /// - Parameter isTLSVerificationDisabled: whether it accepts any certificate.
    package func sourceReplaced(isTLSVerificationDisabled: Bool) {
        verificationDisabled.set(isTLSVerificationDisabled ? 1 : 0)
        tokenExpiry.withLock { $0 = nil }
    }

    /// Records when the token expires.
    public func tokenChanged(expiry: Duration?) {
        tokenExpiry.withLock { $0 = expiry }
    }

    private static func children<Key, Child>(
        of family: InstrumentFamily<Child>
    ) throws(MetricError) -> [Key: Child]
    where Key: CaseIterable & RawRepresentable & Hashable, Key.RawValue == String {
        var children: [Key: Child] = [:]
        for key in Key.allCases { children[key] = try family.with(key.rawValue) }
        return children
    }
}
