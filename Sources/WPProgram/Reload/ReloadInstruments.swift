// SPDX-License-Identifier: MIT

package import WPCore
package import WPMetrics

/// Metrics of reloads: whether the last one succeeded.
package struct ReloadInstruments: Sendable {
    private let successful: Gauge
    private let time: Gauge
    private let timeSource: any TimeSource

    /// The start counts as the first load.
    /// - Parameter prefix: the prefix of the metric names.
    package init(
        registry: Registry,
        prefix: String,
        timeSource: any TimeSource
    ) throws(MetricError) {
        successful = try registry.gauge(
            name: "\(prefix)_config_last_reload_successful",
            help: "1 if the last reload was applied, 0 if it was rejected."
        )
        time = try registry.gauge(
            name: "\(prefix)_config_last_reload_success_timestamp_seconds",
            help: "Time of the last successful reload, in seconds since 1970.",
            unit: "seconds"
        )
        self.timeSource = timeSource
        recordSuccess()
    }

    func recordSuccess() {
        successful.set(1)
        time.set(timeSource.now.secondsSince1970)
    }

    func recordFailure() {
        successful.set(0)
    }
}
