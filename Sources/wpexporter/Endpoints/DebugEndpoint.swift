// SPDX-License-Identifier: MIT

import WPCollector
import WPConfig
import WPHTTP
import WPModel
import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `GET /debug/`: what an operator wants to see of the process, as JSON. Served under `server.enable_pprof` only.
struct DebugEndpoint: HTTPHandler {
    let settings: [EffectiveSetting]
    let statistics: ServerWatch
    let history: CycleHistory
    let collector: Collector
    let timeSource: any TimeSource

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let server = statistics.statistics
        let snapshot = collector.snapshot
        return try JSONReply.ok(
            Report(
                version: Version.number,
                revision: Version.revision,
                time: JSONReply.time(timeSource.now.wall),
                settings: settings.map {
                    Report.Setting(key: $0.key, value: $0.value, origin: $0.origin.description)
                },
                server: Report.Server(
                    openConnections: server.openConnections,
                    acceptedConnections: server.acceptedConnections,
                    refusedConnections: server.refusedConnections,
                    requests: server.requests,
                    malformedRequests: server.malformedRequests,
                    timeouts: server.timeouts,
                    handlerFailures: server.handlerFailures
                ),
                collection: Report.Collection(
                    devices: snapshot.readings.count,
                    failure: snapshot.failure?.message,
                    lastCycles: history.all.map {
                        Report.Cycle(
                            started: JSONReply.time($0.started),
                            durationSeconds: $0.duration.inSeconds,
                            outcome: Self.name($0.outcome)
                        )
                    }
                )
            )
        )
    }

    private static func name(_ outcome: Collector.Outcome) -> String {
        switch outcome {
        case .success: "success"
        case .failure(let reason): reason.rawValue
        case .cancelled: "cancelled"
        }
    }

    private struct Report: Encodable {
        var version: String
        var revision: String
        var time: String
        var settings: [Setting]
        var server: Server
        var collection: Collection

        struct Setting: Encodable {
            var key: String
            var value: String
            var origin: String
        }

        struct Server: Encodable {
            var openConnections: Int
            var acceptedConnections: Int
            var refusedConnections: Int
            var requests: Int
            var malformedRequests: Int
            var timeouts: Int
            var handlerFailures: Int
        }

        struct Collection: Encodable {
            var devices: Int
            var failure: String?
            var lastCycles: [Cycle]
        }

        struct Cycle: Encodable {
            var started: String
            var durationSeconds: Double
            var outcome: String
        }
    }
}
