// SPDX-License-Identifier: MIT

import WPHTTP
import WPHost
import WPLogging
import WPMetrics
import WPMetricsHTTP
import WPNode
import WPServer
import WPText

/// `GET /metrics`: the host as it is now.
///
/// Counters that were read some seconds before the scrape would make `rate()` wrong by that time, so that the host is
/// sampled first. That a file system or a driver does not answer delays the scrape by ``patience`` at most.
///
/// As with node_exporter, `collect[]=NAME` shows some collectors only, and `exclude[]=NAME` all but some.
struct NodeScrape: HTTPHandler {
    /// Scrapes that come closer together than this share a sample.
    private static let freshness = Duration.milliseconds(250)
    /// How long a scrape waits for a new sample before it shows the last one.
    private static let patience = Duration.seconds(2)

    let sampler: HostSampler
    /// The collectors that run.
    let collectors: Set<HostCollectorName>
    let metrics: MetricsHandler
    let logger: Logger

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: Set<HostCollectorName>?
        do {
            wanted = try Self.collectors(request.query, among: collectors)
        } catch {
            return .text(error.message + "\n", status: .badRequest)
        }
        // The processes have no families.
        await sampler.refresh([.cpu, .system], olderThan: Self.freshness, waitingAtMost: Self.patience)
        guard let wanted else { return try await metrics.respond(to: request) }
        let sample = sampler.current.keeping(wanted)
        let registry = Registry()
        try registry.register(NodeMetricsCollector { sample })
        return try await MetricsHandler(registry, logger: logger).respond(to: request)
    }

    /// Why a query is rejected.
    struct Rejection: Error, Equatable {
        let message: String
    }

    /// The collectors that a query asks for; nil when it says nothing of them.
    static func collectors(
        _ query: Substring?,
        among running: Set<HostCollectorName>
    ) throws(Rejection) -> Set<HostCollectorName>? {
        var collected: Set<HostCollectorName> = []
        var excluded: Set<HostCollectorName> = []
        for pair in (query ?? "").split(separator: "&", maxSplits: 1000) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                PercentEncoding.decode($0.utf8).flatMap { String(validating: $0, as: UTF8.self) }
            }
            guard parts.count == 2, let key = parts[0], ["collect[]", "exclude[]"].contains(key) else { continue }
            guard let name = parts[1].flatMap(HostCollectorName.init(rawValue:)), running.contains(name) else {
                throw Rejection(message: "\(key): there is no such collector, or it is switched off")
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
