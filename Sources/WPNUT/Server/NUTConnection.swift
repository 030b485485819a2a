// SPDX-License-Identifier: MIT

import WPServer

/// One client: runs a ``NUTSession`` and performs its steps.
///
/// Unchecked because it is confined to its connection's thread.
final class NUTConnection: LineSession, @unchecked Sendable {
    let number: UInt64
    /// The client's numeric address.
    let peer: String
    private let hub: NUTHub
    private var session = NUTSession()
    /// Whether the client has presented a correct password before.
    private var hasAuthenticated = false

    init(number: UInt64, peer: String, hub: NUTHub) {
        self.number = number
        self.peer = peer
        self.hub = hub
    }

    /// A logged-in client is not expendable, because the shutdown of its UPS depends on it.
    var isExpendable: Bool { session.login == nil }

    nonisolated(nonsending) func answer(_ line: [UInt8], isEncrypted: Bool) async -> LineAnswer {
        let tls = hub.configuration.tls
        let encryption: NUTSession.Encryption = isEncrypted ? .active : tls == nil ? .unavailable : .available
        let (command, step) = session.receive(line, encryption: encryption, view: hub.view(of: self))
        switch step {
        case .reply(let reply): return answer(command, reply)
        case .close(let reply): return answer(command, reply, next: .close)
        case .startTLS(let reply):
            guard let tls else { return answer(command, NUTError.featureNotConfigured.reply) }
            return answer(command, reply, next: .startTLS(tls))
        case .authenticate(let attempt):
            let isGranted = await isGranted(attempt, isEncrypted: isEncrypted)
            let (reply, change) = session.finish(attempt, isGranted: isGranted, view: hub.view(of: self))
            switch change {
            case .loggedIn(let name): hub.loggedIn(self, to: name, as: attempt.username)
            case .forcedShutdown(let name):
                hub.beginForcedShutdown(of: name, by: attempt.username, from: peer)
            case nil: break
            }
            return answer(command, reply)
        }
    }

    private func answer(_ command: NUTCommand?, _ reply: String, next: LineAnswer.Next = .read) -> LineAnswer {
        hub.count(command, reply)
        return LineAnswer(Array(reply.utf8), next: next)
    }

    private nonisolated(nonsending) func isGranted(_ attempt: NUTAttempt, isEncrypted: Bool) async -> Bool {
        let isLocal = IPNetwork.loopback.contains { $0.contains(peer) }
        guard isEncrypted || isLocal || !hub.configuration.requiresTLSForLogin else {
            hub.rejected(attempt, reason: "tls", from: peer, advice: "use STARTTLS, or unset nut.require_tls_for_login")
            return false
        }
        // A primary must be able to start a shutdown even while others fail to log in from its address.
        let address = hasAuthenticated ? nil : peer
        let outcome = await hub.authenticator.check(attempt, from: address, now: hub.now)
        guard outcome != .granted else {
            hasAuthenticated = true
            return true
        }
        hub.rejected(attempt, reason: outcome.rawValue, from: peer)
        return false
    }

    func end() {
        if let name = session.login { hub.loggedOut(self, of: name) }
    }
}
