// SPDX-License-Identifier: MIT

import Dispatch
import WPCore
import WPLogging
import WPServer
import WPSettings

/// The state of the running process. Contains no secret.
struct DebugState: Encodable {
    struct Setting: Encodable {
        var key: String
        var value: String
        var origin: String
    }

    struct Loop: Encodable {
        /// The delay between submitting a task to the server's thread and its start.
        var lagSeconds: Double
        /// The longest iteration of the event loop since the start.
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

    var version: String
    var revision: String
    var time: String
    var uptimeSeconds: Double
    var logLevels: LogLevels
    var process: ProcessFacts
    var server: Server
    /// The program's own tables, by name.
    var parts: [String: DebugTable]
    var configFile: String?
    var settings: [Setting]
}

/// The state of the server that serves the debug page.
protocol ServerWatch: Sendable {
    var statistics: ServerStatistics { get }

    /// The latency of the server's event loop; nil if it is not serving.
    func loopLag() async -> LoopLag?
}

extension HTTPServer: ServerWatch {}

/// Inspects the process.
struct DebugProbe: Sendable {
    let program: ProgramDescription
    let parts: [(name: String, table: @Sendable () -> DebugTable)]
    let settings: @Sendable () async -> (file: String?, effective: [EffectiveSetting])
    let server: (any ServerWatch)?
    let levels: LogThreshold
    let timeSource: any TimeSource
    let started: TimePoint

    func state() async -> DebugState {
        let lag = await server?.loopLag()
        let process = await facts()
        let running = await settings()
        let now = timeSource.now
        var tables: [String: DebugTable] = [:]
        for part in parts { tables[part.name] = part.table() }
        return DebugState(
            version: program.version,
            revision: program.revision,
            time: JSONReply.time(now.wall),
            uptimeSeconds: now.since(started).inSeconds,
            logLevels: LogLevels(levels),
            process: process,
            server: serverState(lag),
            parts: tables,
            configFile: running.file,
            settings: running.effective.map {
                DebugState.Setting(key: $0.key, value: $0.value, origin: $0.origin.description)
            }
        )
    }

    /// Runs off the cooperative threads, because thousands of descriptors take time.
    private func facts() async -> ProcessFacts {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: ProcessFacts()) }
        }
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
}
