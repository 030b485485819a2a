// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
public import WPMetrics
public import WPServer

/// Counts and times the requests that a server has answered, by route.
///
/// ```swift
/// let requests = try RequestMetrics(registry: registry, prefix: "shop", routes: ["metrics"])
/// let server = HTTPServer(configuration, handler: requests.counting(router), observer: requests.observe)
/// ```
///
/// The families are `<prefix>_requests_total` with the labels `handler` and `code`, and
/// `<prefix>_request_duration_seconds` with the label `handler`.
public final class RequestMetrics: Sendable {
    private let requests: CounterFamily
    private let durations: HistogramFamily
    private let inFlight: Gauge?
    /// The instruments of answered requests: looking them up by labels takes a twentieth of the time of a request.
    private let known = Mutex<[Answer: (count: Counter, duration: Histogram)]>([:])

    private struct Answer: Hashable {
        let route: String
        let status: Int
    }

    /// Registers the families.
    /// - Parameters:
    ///   - registry: the registry to which the families are added.
    ///   - prefix: the prefix of the names, without the underscore that follows it.
    ///   - routes: the routes whose series start at zero, with the status 200.
    ///   - errorRoutes: the routes that also have a series for the status 500.
    ///   - buckets: the upper bounds of the durations, in seconds; nil for 100 µs to 1 s.
    ///   - countsInFlight: whether to register `<prefix>_requests_in_flight`, which ``counting(_:)`` needs.
    /// - Throws: `MetricError` if a name is invalid or already used.
    public init(
        registry: Registry,
        prefix: String,
        routes: [String] = [],
        errorRoutes: [String] = [],
        buckets: HistogramBuckets? = nil,
        countsInFlight: Bool = false
    ) throws(MetricError) {
        let bounds =
            if let buckets { buckets } else {
                try HistogramBuckets([0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1])
            }
        requests = try registry.counter(
            name: "\(prefix)_requests_total",
            help: "HTTP requests answered, by handler and status.",
            labelNames: ["handler", "code"]
        )
        durations = try registry.histogram(
            name: "\(prefix)_request_duration_seconds",
            help: "Time to answer an HTTP request.",
            unit: "seconds",
            labelNames: ["handler"],
            buckets: bounds
        )
        inFlight =
            countsInFlight
            ? try registry.gauge(name: "\(prefix)_requests_in_flight", help: "HTTP requests in progress.")
            : nil
        try requests.prepare(routes.map { [$0, "200"] } + errorRoutes.map { [$0, "500"] })
        try durations.prepare(routes.map { [$0] })
    }

    /// Counts an answered request; to be used as the observer of an `HTTPServer`.
    public func observe(_ exchange: HTTPServer.Exchange) {
        let answer = Answer(route: exchange.route, status: exchange.status.code)
        // lint: a handler may answer with any status; a full family counts no new ones
        guard let (count, duration) = known.withLock({ $0[answer] }) ?? (try? instruments(of: answer)) else { return }
        count.increment()
        duration.observe(exchange.duration)
    }

    private func instruments(of answer: Answer) throws(MetricError) -> (count: Counter, duration: Histogram) {
        let found = (
            count: try requests.with(answer.route, String(answer.status)), duration: try durations.with(answer.route)
        )
        known.withLock { $0[answer] = found }
        return found
    }

    /// A handler that counts requests in flight; `handler` itself if the gauge is disabled.
    public func counting(_ handler: any HTTPHandler) -> any HTTPHandler {
        guard let inFlight else { return handler }
        return InFlightHandler(handler: handler, inFlight: inFlight)
    }
}

private struct InFlightHandler: HTTPHandler {
    let handler: any HTTPHandler
    let inFlight: Gauge

    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        inFlight.increment()
        defer { inFlight.decrement() }
        return try await handler.respond(to: request)
    }
}
