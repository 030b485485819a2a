// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// Looks one name up, again and again, without letting the system's resolver hold anybody longer than they want:
/// `getaddrinfo` has no time limit, so it runs on a thread of its own.
///
/// At most one look-up runs at a time. Whoever comes while a look-up that an earlier caller has given up still hangs
/// waits for that one instead of starting another.
final class NameLookup: Sendable {
    /// A blocking look-up.
    typealias Resolve = @Sendable (_ host: String, _ port: UInt16) throws(ClientFault) -> [SocketAddress]

    private enum State {
        case idle
        case running
        case done(Result<[SocketAddress], ClientFault>)
    }

    private let host: String
    private let port: UInt16
    private let waiter: SocketWaiter
    private let resolve: Resolve
    private let queue = DispatchQueue(label: "http-client.name-look-up")
    private let state = Mutex(State.idle)

    /// Creates a look-up.
    /// - Parameters:
    ///   - host: a name or an address in digits; the latter is never looked up.
    ///   - waiter: what callers wait on, and is woken when a look-up ends.
    ///   - resolve: how to look up; a test's may hang.
    init(
        host: String,
        port: UInt16,
        waiter: SocketWaiter,
        resolve: @escaping Resolve = { (host, port) throws(ClientFault) in try SocketAddress.lookUp(host, port: port) }
    ) {
        self.host = host
        self.port = port
        self.waiter = waiter
        self.resolve = resolve
    }

    /// Gives the addresses, never none.
    /// - Throws: when the look-up fails or patience ends.
    func addresses(_ patience: Patience) throws(ClientFault) -> [SocketAddress] {
        if let literal = try? SocketAddress.lookUp(host, port: port, numericOnly: true) { return literal }
        start()
        while true {
            if let result = takeResult() { return try result.get() }
            try patience.wait()
        }
    }

    private func start() {
        let isNeeded = state.withLock { state in
            // A result that lies here was left by a caller who gave up, and may be old.
            if case .running = state { return false }
            state = .running
            return true
        }
        guard isNeeded else { return }
        queue.async { [self] in
            let result: Result<[SocketAddress], ClientFault>
            do throws(ClientFault) {
                result = .success(try resolve(host, port))
            } catch {
                result = .failure(error)
            }
            state.withLock { $0 = .done(result) }
            waiter.wake()
        }
    }

    private func takeResult() -> Result<[SocketAddress], ClientFault>? {
        state.withLock { state in
            guard case .done(let result) = state else { return nil }
            state = .idle
            return result
        }
    }
}
