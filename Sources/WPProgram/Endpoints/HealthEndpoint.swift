// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPServer

/// `GET /health`: whether the program works, without contacting other systems. The status is always 200, because
/// restarting the program does not repair its dependencies; `status` reports them.
struct HealthEndpoint: HTTPHandler {
    let program: ProgramDescription
    let checks: [(name: String, check: @Sendable () -> HealthPart?)]
    let timeSource: any TimeSource
    let started: TimePoint

    func respond(to request: HTTPRequest) async throws -> HTTPResponse { try JSONReply.ok(report()) }

    func report() -> HealthReport {
        let parts = checks.map { (name: $0.name, part: $0.check()) }
        let summaries = parts.compactMap { $0.part?.summary }
        let now = timeSource.now
        return HealthReport(
            status: parts.contains { $0.part?.status == .degraded } ? .degraded : .ok,
            reason: parts.lazy.compactMap { $0.part?.status == .degraded ? $0.part?.reason : nil }.first,
            summary: summaries.isEmpty ? nil : summaries.joined(separator: ", "),
            time: RFC3339.string(now.wall),
            program: program.name,
            version: program.version,
            uptimeSeconds: (now.since(started).inSeconds * 1000).rounded() / 1000,
            parts: parts
        )
    }
}

/// The body of `/health`: common members, and one member per component, null if it is disabled.
struct HealthReport: Encodable {
    var status: HealthStatus
    /// The reason of the first degraded component; null if there is none.
    var reason: String?
    /// A summary of the components for display.
    var summary: String?
    var time: String
    var program: String
    var version: String
    var uptimeSeconds: Double
    var parts: [(name: String, part: HealthPart?)]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        try container.encode(status, forKey: NameKey("status"))
        try container.encode(reason, forKey: NameKey("reason"))
        try container.encode(summary, forKey: NameKey("summary"))
        try container.encode(time, forKey: NameKey("time"))
        try container.encode(program, forKey: NameKey("program"))
        try container.encode(version, forKey: NameKey("version"))
        try container.encode(uptimeSeconds, forKey: NameKey("uptime_seconds"))
        for (name, part) in parts { try container.encode(part, forKey: NameKey(name)) }
    }
}
