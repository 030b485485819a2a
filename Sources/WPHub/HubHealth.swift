// SPDX-License-Identifier: MIT

import WPExporter
import WPFleet
import WPHTTP
import WPHistory
import WPModel
import WPServer
import WPText

/// `GET /health` of a hub: whether it serves, and whether its history is saved. The status is 200 whenever there is an
/// answer: a restart frees no disk.
struct HubHealth: HTTPHandler {
    let service: HistoryService
    let timeSource: any TimeSource
    let started: TimePoint

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .bytes(try JSONDocument.bytes(report()))
        )
    }

    func report() -> Report {
        let now = timeSource.now
        let status = service.history.status
        let clock = service.history.clockProblem
        let nodes = service.fleet.counts(of: .node)
        let devices = service.fleet.counts(of: .ups)
        return Report(
            status: status.failure == nil && clock == nil ? "ok" : "degraded",
            reason: status.failure.map { "history_\($0.code.rawValue)" } ?? clock.map { _ in "clock" },
            error: status.failure?.message,
            time: RFC3339.string(now.wall, fraction: .seconds),
            version: Version.number,
            uptime: now.since(started).inSeconds.rounded(.down),
            nodes: nodes.values.reduce(0, +),
            nodesOnline: nodes[.online] ?? 0,
            ups: devices.values.reduce(0, +),
            upsOnline: devices[.online] ?? 0,
            pending: status.pendingBuckets,
            clock: clock.map(ClockHealth.init)
        )
    }

    struct Report: Encodable {
        var status: String
        var reason: String?
        var error: String?
        var time: String
        var version: String
        var uptime: Double
        var nodes, nodesOnline, ups, upsOnline, pending: Int
        var clock: ClockHealth?

        enum CodingKeys: String, CodingKey {
            case status, reason, error, time, version, nodes, ups, clock
            case uptime = "uptime_seconds", nodesOnline = "nodes_online", upsOnline = "ups_online"
            case pending = "pending_buckets"
        }
    }
}
