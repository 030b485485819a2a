// SPDX-License-Identifier: MIT

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
        let answer = FirstValue<Result<PostgresSession, PostgresError>>()
        let attempt = Task {
            let session = PostgresSession(connector.library, scrubber: connector.address.scrubber, slot: slot)
            do throws(PostgresError) {
                try await session.connect(connector, host, Deadline(after: connector.hostTimeout))
                if answer.set(.success(session)) { return }
                await session.finish()
            } catch {
                await session.finish()
                answer.set(.failure(error))
            }
        }
        let timer = Task {
            let late = Deadline(after: connector.hostTimeout + .seconds(1))
            guard case .elapsed = await connector.library.poller.wait(for: nil, 0, until: late) else { return }
            let time = PostgresSession.seconds(connector.hostTimeout)
            answer.set(
                .failure(PostgresError(.connect, "no connection within \(time): the host's name may not resolve"))
            )
            attempt.cancel()
        }
        defer { timer.cancel() }
        return try await answer.value(ifCancelled: .failure(PostgresSession.cancelledFault)) { attempt.cancel() }.get()
    }
}
