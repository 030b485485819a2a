// SPDX-License-Identifier: MIT

import WPHTTP
import WPMetrics
import WPServer

/// Counts and times the requests that were answered, by the name of the route that answered them.
struct RequestInstruments: Sendable {
    private let requests: CounterFamily
    private let durations: HistogramFamily

    init(registry: Registry) throws(MetricError) {
        requests = try registry.counter(
            name: "winpower_exporter_requests_total",
            help: "HTTP requests answered, by handler and status.",
            labelNames: ["handler", "code"]
        )
        durations = try registry.histogram(
            name: "winpower_exporter_request_duration_seconds",
            help: "Time that it took to answer an HTTP request.",
            unit: "seconds",
            labelNames: ["handler"],
            buckets: try HistogramBuckets([0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1])
        )
        try requests.prepare([["metrics", "200"], ["metrics", "500"], ["health", "200"]])
        try durations.prepare([["metrics"], ["health"]])
    }

    func answered(_ exchange: HTTPServer.Exchange) {
        // The names of routes and the statuses are few and fixed, so neither family can be full.
        _ = try? requests.with(exchange.handler, String(exchange.status.code)).increment()
        try? durations.with(exchange.handler).observe(exchange.duration)
    }
}
