// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPHost
import WPLogging
import WPMetrics
import WPMetricsHTTP
import WPServer

/// `GET /metrics`: the current state of the host.
///
/// The host is sampled on each scrape, because counters older than the scrape would distort `rate()`. An unresponsive
/// file system or driver delays the scrape by at most ``maximumWait``.
///
/// As in node_exporter, `collect[]=NAME` selects collectors, and `exclude[]=NAME` omits some.
struct NodeScrape: HTTPHandler {
    /// Scrapes within this interval share a sample.
    private static let freshness = Duration.milliseconds(250)
    /// How long a scrape waits for a new sample before it uses the last one.
    private static let maximumWait = Duration.seconds(2)

    let sampler: HostSampler
    /// The enabled collectors.
    let collectors: Set<HostCollectorName>
    /// The collectors of the embedding program.
    let own: [OwnCollector]
    let metrics: MetricsHandler
    let timeSource: any TimeSource
    let logger: Logger

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: Set<String>?
        do {
            wanted = try Self.collectors(request.query, among: Set(collectors.map(\.rawValue) + own.map(\.name)))
        } catch {
            return .text(error.message + "\n", status: .badRequest)
        }
        // Processes are not exposed as metrics.
        await sampler.refresh([.cpu, .system], olderThan: Self.freshness, waitingAtMost: Self.maximumWait)
        guard let wanted else { return try await metrics.respond(to: request) }
        let sample = sampler.current.keeping(Set(wanted.compactMap(HostCollectorName.init(rawValue:))))
        let own = own.filter { wanted.contains($0.name) }
        let registry = Registry()
        try registry.register(
            NodeMetricsCollector(
                timeSource: timeSource,
                moreReports: { own.compactMap(\.report) },
                sample: { sample }
            )
        )
        for collector in own { try registry.register(collector) }
        return try await MetricsHandler(registry, logger: logger).respond(to: request)
    }

    /// Why a query is rejected.
    struct Rejection: Error, Equatable {
        let message: String
    }

    /// The collectors that a query selects; nil if it selects none.
    static func collectors(
        _ query: Substring?,
        among running: Set<String>
    ) throws(Rejection) -> Set<String>? {
        var collected: Set<String> = []
        var excluded: Set<String> = []
        for pair in (query ?? "").split(separator: "&", maxSplits: 1000) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                PercentEncoding.decode($0.utf8).flatMap { String(validating: $0, as: UTF8.self) }
            }
            guard parts.count == 2, let key = parts[0], ["collect[]", "exclude[]"].contains(key) else { continue }
            guard let name = parts[1], running.contains(name) else {
                throw Rejection(message: "\(key): there is no such collector, or it is disabled")
            }
            if key == "collect[]" { collected.insert(name) } else { excluded.insert(name) }
        }
        guard collected.isEmpty || excluded.isEmpty else {
            throw Rejection(message: "collect[] and exclude[] cannot be combined")
        }
        if !collected.isEmpty { return collected }
        return excluded.isEmpty ? nil : running.subtracting(excluded)
    }
}
