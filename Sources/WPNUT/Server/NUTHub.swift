// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPLogging
import WPModel
import WPServer
import WPSockets

/// The shared state of a NUT server's connections.
final class NUTHub: Sendable {
    private struct State {
        var table: UPSTable
        var statistics = NUTServer.Statistics()
        var lastConnection: UInt64 = 0
        var rejections = RepeatGate(interval: .seconds(10))
    }

    let authenticator: Authenticator
    let timeSource: any TimeSource
    let logger: Logger
    private let state: Mutex<State>

    init(
        _ configuration: NUTServer.Configuration,
        authenticator: Authenticator,
        timeSource: any TimeSource,
        version: String,
        logger: Logger
    ) {
        self.authenticator = authenticator
        self.timeSource = timeSource
        self.logger = logger
        state = Mutex(State(table: UPSTable(version: version, configuration: configuration)))
    }

    var now: Duration { timeSource.now.monotonic }
    var configuration: NUTServer.Configuration { state.withLock { $0.table.configuration } }

    var statistics: NUTServer.Statistics {
        let now = now
        return state.withLock { state in
            var statistics = state.statistics
            statistics.upses = state.table.summary(at: now)
            return statistics
        }
    }

    func update(_ configuration: NUTServer.Configuration) {
        state.withLock { $0.table.update(configuration) }
    }

    /// The current view of a client.
    func view(of connection: NUTConnection) -> UPSTable.View {
        let now = now
        return state.withLock { $0.table.view(at: now, of: connection.number) }
    }

    /// Records an observation.
    func record(_ observation: UPSObservation) {
        for event in state.withLock({ $0.table.record(observation) }) {
            switch event {
            case .status(let ups, let from, let to):
                let fields: LogFields = ["ups": .string(ups), "from": .string(from), "to": .string(to)]
                if to.split(separator: " ").contains("OB") {
                    logger.warn("NUT status changed", fields)
                } else {
                    logger.info("NUT status changed", fields)
                }
            case .forcedShutdownEnded(let ups): logger.info("Forced shutdown ended", ["ups": .string(ups)])
            case .duplicate(let name):
                logger.warn("Two devices have the same NUT name; set nut.names", ["ups": .string(name)])
            }
        }
    }

    /// The session of a new connection; nil if its peer is not allowed.
    func admit(_ peer: HostPort) -> NUTConnection? {
        let number = state.withLock { state -> UInt64? in
            if let allowed = state.table.configuration.allowed, !allowed.contains(where: { $0.contains(peer.host) }) {
                return nil
            }
            state.lastConnection += 1
            return state.lastConnection
        }
        guard let number else {
            logRejection("Connection rejected", ["peer": .string(peer.host), "reason": "nut.allow"])
            return nil
        }
        return NUTConnection(number: number, peer: peer.host, hub: self)
    }

    func count(_ command: NUTCommand?, _ reply: String) {
        let result = reply.hasPrefix("ERR ") ? reply.dropFirst(4).dropLast().lowercased() : "ok"
        let key = NUTServer.Command(name: command?.rawValue.lowercased() ?? "other", result: result)
        state.withLock { $0.statistics.commands[key, default: 0] += 1 }
    }

    func loggedIn(_ connection: NUTConnection, to name: String, as user: String) {
        let now = now
        state.withLock { $0.table.logIn(connection.number, from: connection.peer, to: name, at: now) }
        logger.info("NUT login", ["ups": .string(name), "user": .string(user), "peer": .string(connection.peer)])
    }

    func loggedOut(_ connection: NUTConnection, of name: String) {
        state.withLock { $0.table.logOut(connection.number) }
        logger.info("NUT logout", ["ups": .string(name), "peer": .string(connection.peer)])
    }

    func beginForcedShutdown(of name: String, by user: String, from peer: String) {
        let isNew = state.withLock { state -> Bool in
            guard state.table.beginForcedShutdown(of: name) == true else { return false }
            state.statistics.forcedShutdowns += 1
            return true
        }
        guard isNew else { return }
        logger.warn("Forced shutdown", ["ups": .string(name), "user": .string(user), "peer": .string(peer)])
    }

    /// Counts and logs a rejected attempt.
    func rejected(_ attempt: NUTAttempt, reason: String, from peer: String, advice: String? = nil) {
        state.withLock { $0.statistics.rejectedLogins[reason, default: 0] += 1 }
        var fields: LogFields = [
            "ups": .string(attempt.ups), "user": .string(String(attempt.username.prefix(64))), "peer": .string(peer),
            "reason": .string(reason),
        ]
        if let advice { fields.append("advice", .string(advice)) }
        logRejection("NUT login rejected", fields)
    }

    private func logRejection(_ message: StaticString, _ fields: LogFields) {
        let now = now
        guard let repeats = state.withLock({ $0.rejections.admit(at: now) }) else { return }
        var fields = fields
        if repeats > 0 { fields.append("suppressed", .int(repeats)) }
        logger.warn("\(message)", fields)
    }
}
