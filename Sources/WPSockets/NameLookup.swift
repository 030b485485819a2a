// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// Looks one name up, again and again, under the deadline of each caller: `getaddrinfo` has no time limit,
/// so it runs on a thread of its own.
///
/// At most one look-up runs at a time. While one that an earlier caller has given up still hangs, later callers wait for
/// it instead of starting another.
package final class NameLookup: Sendable {
    /// A blocking look-up.
    package typealias Resolve = @Sendable (_ host: String, _ port: UInt16) throws(SocketFault) -> [SocketAddress]

    private enum State {
        case idle
        case running
        case done(Result<[SocketAddress], SocketFault>)
    }

    private let host: String
    private let port: UInt16
    private let waiter: SocketWaiter
    private let resolve: Resolve
    private let queue = DispatchQueue(label: "name-look-up")
    private let state = Mutex(State.idle)

    /// Creates a look-up.
    /// - Parameters:
    ///   - host: a name or an address in digits; neither an address nor `localhost` is ever looked up.
    ///   - waiter: what callers wait on, and is woken when a look-up ends.
    ///   - resolve: how to look up; a test's may hang.
    package init(
        host: String,
        port: UInt16,
        waiter: SocketWaiter,
        resolve: @escaping Resolve = { (host, port) throws(SocketFault) in try SocketAddress.lookUp(host, port: port) }
    ) {
        self.host = host
        self.port = port
        self.waiter = waiter
        self.resolve = resolve
    }

    /// Gives the addresses, never none.
    /// - Throws: when the look-up fails or the context does.
    package func addresses(_ context: CallContext) throws(SocketFault) -> [SocketAddress] {
        if let known = try? SocketAddress.lookUp(host, port: port, numericOnly: true) { return known }
        start()
        while true {
            if let result = takeResult() { return try result.get() }
            try context.wait()
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
            let result: Result<[SocketAddress], SocketFault>
            do throws(SocketFault) {
                result = .success(try resolve(host, port))
            } catch {
                result = .failure(error)
            }
            state.withLock { $0 = .done(result) }
            waiter.wake()
        }
    }

    private func takeResult() -> Result<[SocketAddress], SocketFault>? {
        state.withLock { state in
            guard case .done(let result) = state else { return nil }
            state = .idle
            return result
        }
    }
}
