// SPDX-License-Identifier: MIT

import Dispatch
import WPCollector
import WPConfig
import WPLogging
import WPModel
import WPServer

/// What an operator wants to see of the running process. No secret is in it.
struct DebugState: Encodable {
    struct Setting: Encodable {
        var key: String
        var value: String
        var origin: String
    }

    struct Loop: Encodable {
        /// From handing the server's thread a task to its beginning with it.
        var lagSeconds: Double
        /// The longest round of work since the start.
        var longestTurnSeconds: Double
    }

    struct Server: Encodable {
        var openConnections: Int
        var acceptedConnections: Int
        var refusedConnections: Int
        var displacedConnections: Int
        var failedHandshakes: Int
        var requests: Int
        var malformedRequests: Int
        var timeouts: Int
        var handlerFailures: Int
        var loop: Loop?
    }

    struct Cycle: Encodable {
        var number: Int
        var started: String
        var durationSeconds: Double
        var outcome: String
    }

    struct Collection: Encodable {
        var devices: Int
        /// Why the last cycle failed.
        var failure: String?
        /// The oldest first.
        var lastCycles: [Cycle]
    }

    var version: String
    var revision: String
    var time: String
    var uptimeSeconds: Double
    var logLevels: LogLevels
    var process: ProcessFacts
    var server: Server
    var collection: Collection
    var configFile: String?
    var settings: [Setting]
}

/// The levels that are logged.
struct LogLevels: Encodable, Equatable {
    var level: String
    var modules: [String: String]

    init(_ threshold: LogThreshold) {
        level = threshold.level.rawValue
        modules = threshold.moduleLevels.mapValues(\.rawValue)
    }
}

/// Looks at the process.
struct DebugProbe: Sendable {
    let reloader: SettingsReloader
    let server: (any ServerWatch)?
    let history: CycleHistory
    let collector: Collector
    let levels: LogThreshold
    let timeSource: any TimeSource
    let started: TimePoint

    func state() async -> DebugState {
        let lag = await server?.loopLag()
        let process = await processFacts()
        let running = await reloader.running
        let snapshot = collector.snapshot
        let now = timeSource.now
        return DebugState(
            version: Version.number,
            revision: Version.revision,
            time: JSONReply.time(now.wall),
            uptimeSeconds: now.since(started).inSeconds,
            logLevels: LogLevels(levels),
            process: process,
            server: serverState(lag),
            collection: DebugState.Collection(
                devices: snapshot.readings.count,
                failure: snapshot.failure?.message,
                lastCycles: history.all.map { cycle in
                    DebugState.Cycle(
                        number: cycle.number,
                        started: JSONReply.time(cycle.started),
                        durationSeconds: cycle.duration.inSeconds,
                        outcome: Self.name(cycle.outcome)
                    )
                }
            ),
            configFile: running.configFile,
            settings: running.effective.map {
                DebugState.Setting(key: $0.key, value: $0.value, origin: $0.origin.description)
            }
        )
    }

    private func serverState(_ lag: LoopLag?) -> DebugState.Server {
        let statistics = server?.statistics ?? ServerStatistics()
        return DebugState.Server(
            openConnections: statistics.openConnections,
            acceptedConnections: statistics.acceptedConnections,
            refusedConnections: statistics.refusedConnections,
            displacedConnections: statistics.displacedConnections,
            failedHandshakes: statistics.failedHandshakes,
            requests: statistics.requests,
            malformedRequests: statistics.malformedRequests,
            timeouts: statistics.timeouts,
            handlerFailures: statistics.handlerFailures,
            loop: lag.map {
                DebugState.Loop(lagSeconds: $0.now.inSeconds, longestTurnSeconds: $0.longest.inSeconds)
            }
        )
    }

    /// Aside, since thousands of descriptors take a while.
    private func processFacts() async -> ProcessFacts {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: ProcessFacts()) }
        }
    }

    private static func name(_ outcome: Collector.Outcome) -> String {
        switch outcome {
        case .success: "success"
        case .failure(let reason): reason.rawValue
        case .cancelled: "cancelled"
        }
    }
}
