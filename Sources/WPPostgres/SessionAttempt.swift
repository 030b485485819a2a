// SPDX-License-Identifier: MIT

import Synchronization
import WPSockets

/// Opens a session on the first host of a database that accepts one.
struct SessionAttempt {
    let connector: PostgresConnector
    let slot: PostgresSlot

    /// - Throws: the errors of all hosts.
    func run() async throws(PostgresError) -> PostgresSession {
        let hosts = connector.address.hosts()
        var errors: [PostgresError] = []
        for host in hosts {
            do throws(PostgresError) {
                return try await open(host)
            } catch {
                guard error.code != .cancelled else { throw error }
                errors.append(
                    hosts.count == 1
                        ? error
                        : PostgresError(error.code, "\(host.name): \(error.message)", sqlState: error.sqlState)
                )
            }
        }
        guard let last = errors.last, errors.count > 1 else {
            throw errors.last ?? PostgresError(.connect, "the address names no host")
        }
        // If any host has answered, the network is not the cause.
        let code = errors.contains { $0.code == .refused } ? PostgresError.Code.refused : last.code
        throw PostgresError(code, errors.map(\.message).joined(separator: "; "), sqlState: last.sqlState)
    }

    /// Tries one host. A name lookup cannot be cancelled: after the timeout it is abandoned, and occupies the slot
    /// until it ends.
    private func open(_ host: PostgresAddress.Host) async throws(PostgresError) -> PostgresSession {
        let (connector, slot) = (connector, slot)
        let answer = Answer()
        let attempt = Task {
            let session = PostgresSession(connector.library, scrubber: connector.address.scrubber, slot: slot)
            do throws(PostgresError) {
                try await session.connect(connector, host, Deadline(after: connector.hostTimeout))
                if answer.give(.success(session)) { return }
                await session.finish()
            } catch {
                await session.finish()
                _ = answer.give(.failure(error))
            }
        }
        let timer = Task {
            let late = Deadline(after: connector.hostTimeout + .seconds(1))
            guard case .elapsed = await connector.library.poller.wait(for: nil, 0, until: late) else { return }
            let time = PostgresSession.seconds(connector.hostTimeout)
            _ = answer.give(
                .failure(PostgresError(.connect, "no connection within \(time): the host's name may not resolve"))
            )
            attempt.cancel()
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            _ = answer.give(.failure(PostgresError(.cancelled, "the query was cancelled")))
            attempt.cancel()
        }.get()
    }

    /// The first of several results.
    private final class Answer: Sendable {
        typealias Value = Result<PostgresSession, PostgresError>

        private struct State {
            var value: Value?
            var waiting: CheckedContinuation<Value, Never>?
        }

        private let state = Mutex(State())

        /// - Returns: whether it is the first.
        func give(_ value: Value) -> Bool {
            let (isFirst, waiting) = state.withLock { state in
                guard state.value == nil else { return (false, CheckedContinuation<Value, Never>?.none) }
                state.value = value
                defer { state.waiting = nil }
                return (true, state.waiting)
            }
            waiting?.resume(returning: value)
            return isFirst
        }

        var value: Value {
            get async {
                await withCheckedContinuation { continuation in
                    let value = state.withLock { state in
                        if state.value == nil { state.waiting = continuation }
                        return state.value
                    }
                    if let value { continuation.resume(returning: value) }
                }
            }
        }
    }
}
