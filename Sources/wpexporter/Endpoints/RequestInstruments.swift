// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
import WPMetrics
import WPServer

/// Counts and times the requests that were answered, by the name of the route that answered them.
final class RequestInstruments: Sendable {
    private struct Key: Hashable {
        var handler: String
        var status: Int
    }

    private let requests: CounterFamily
    private let durations: HistogramFamily
    /// The children that were asked for, found again without making their labels.
    private let known = Mutex<[Key: (requests: Counter, durations: Histogram)]>([:])

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
        guard let children = try? children(for: Key(handler: exchange.route, status: exchange.status.code)) else {
            return
        }
        children.requests.increment()
        children.durations.observe(exchange.duration)
    }

    private func children(for key: Key) throws -> (requests: Counter, durations: Histogram) {
        try known.withLock { known in
            if let children = known[key] { return children }
            let children = (
                requests: try requests.with(key.handler, String(key.status)), durations: try durations.with(key.handler)
            )
            known[key] = children
            return children
        }
    }
}
