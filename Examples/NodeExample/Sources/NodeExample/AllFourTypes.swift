// SPDX-License-Identifier: MIT

import WPMetrics

/// One instrument of each type, and how to use it. They measure the example's own requests.
struct AllFourTypes: Sendable {
    /// A counter only increases and starts at 0 with the process. Its name ends in `_total`.
    let requests: CounterFamily
    /// A gauge goes up and down.
    let inFlight: Gauge
    /// A histogram counts observations in buckets, from which Prometheus calculates quantiles, also across processes.
    let durations: HistogramFamily
    /// A summary calculates quantiles itself, over a sliding window of this process.
    let sizes: Summary

    init(_ registry: Registry) throws {
        // Dynamic labels: each combination of values is a series. Known combinations are created here, so that they
        // start at 0.
        requests = try registry.counter(
            name: "node_requests_total",
            help: "Requests answered.",
            labelNames: ["handler", "code"]
        )
        try requests.prepare([["handler": "metrics", "code": "200"]])
        // A static label: the child is looked up once and kept.
        inFlight = try registry.gauge(
            name: "node_scrapes_in_flight",
            help: "Scrapes being answered.",
            labelNames: ["role"]
        ).with(["role": "example"])
        durations = try registry.histogram(
            name: "node_request_duration_seconds",
            help: "Time to answer.",
            unit: "seconds",
            labelNames: ["handler"],
            buckets: .exponential(start: 0.001, factor: 4, count: 6)
        )
        sizes = try registry.summary(
            name: "node_exposition_bytes",
            help: "Size of an exposition.",
            unit: "bytes",
            quantiles: [0.5, 0.9, 0.99],
            window: .seconds(600)
        )
    }

    func answered(handler: String, status: Int, duration: Duration) throws {
        try requests.with(["handler": handler, "code": String(status)]).increment()
        try durations.with(["handler": handler]).observe(duration)
    }

    func scraped(bytes: Int) {
        sizes.observe(Double(bytes))
    }
}
