// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// Resolves one name within each caller's deadline: `getaddrinfo` has no timeout, so it runs on its own thread.
///
/// At most one lookup runs at a time. While an abandoned lookup hangs, later callers wait for it instead of starting
/// another.
package final class NameLookup: Sendable {
    /// A blocking lookup.
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

    /// Creates a lookup.
    /// - Parameters:
    ///   - host: a name or a numeric address; numeric addresses and `localhost` are resolved without a lookup.
    ///   - waiter: the waiter of the callers; woken when a lookup ends.
    ///   - resolve: the lookup function.
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

    /// The addresses, at least one.
    /// - Throws: the error of the lookup or the context.
    package func addresses(_ context: CallContext) throws(SocketFault) -> [SocketAddress] {
        // lint: text that is not an address is looked up as a name
        if let known = try? SocketAddress.lookUp(host, port: port, numericOnly: true) { return known }
        start()
        while true {
            if let result = takeResult() { return try result.get() }
            try context.wait()
        }
    }

    private func start() {
        let isNeeded = state.withLock { state in
            // An earlier result belongs to a caller that gave up, and may be stale.
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
