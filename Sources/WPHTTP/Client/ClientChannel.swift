// SPDX-License-Identifier: MIT

/// Exchanges requests for responses with one origin, one at a time, over a connection that it keeps as long as it can.
///
/// Its calls block. ``HTTPClient`` makes them on one serial queue.
final class ClientChannel {
    private let origin: HTTPOrigin
    private let context: TLSContext?
    private let lookup: NameLookup
    private let limits: HTTPLimits
    private let maxIdleTime: Duration
    private var idle: ClientConnection?

    init(
        origin: HTTPOrigin,
        context: TLSContext?,
        lookup: NameLookup,
        limits: HTTPLimits,
        maxIdleTime: Duration
    ) {
        self.origin = origin
        self.context = context
        self.lookup = lookup
        self.limits = limits
        self.maxIdleTime = maxIdleTime
    }

    /// Closes the connection that is kept, if any.
    func drop() { idle = nil }

    /// Sends a request and reads its response.
    func exchange(_ request: EncodedRequest, _ patience: Patience) throws(ClientFault) -> HTTPResponse {
        if let connection = takeIdle() {
            do throws(ClientFault) {
                return try exchange(request, on: connection, patience)
            } catch {
                // The server may have closed an idle connection just as the request left. It is sent again only when
                // that can't have an effect twice (RFC 9112, section 9.3.1).
                let isSafe = request.method.isIdempotent || connection.sentBytes == 0
                guard error.code == .closed, !error.isInterruption, !connection.hasReceived, isSafe else { throw error }
            }
        }
        return try exchange(request, on: try connect(patience), patience)
    }

    private func exchange(
        _ request: EncodedRequest,
        on connection: ClientConnection,
        _ patience: Patience
    ) throws(ClientFault) -> HTTPResponse {
        do throws(ClientFault) {
            try connection.send(request.bytes, patience.during("while the request was sent"))
        } catch {
            // A server may refuse a request before it has taken all of it, close, and have sent why.
            guard error.code == .closed, !error.isInterruption, !connection.isSecure, connection.sentBytes > 0 else {
                throw error
            }
        }
        let reader = ResponseReader(
            connection: connection,
            limits: limits,
            patience: patience.during("while waiting for the response")
        )
        let (response, isReusable) = try reader.read(request)
        if isReusable {
            connection.idleSince = .now
            idle = connection
        }
        return response
    }

    private func takeIdle() -> ClientConnection? {
        defer { idle = nil }
        guard let idle, idle.idleSince.duration(to: .now) < maxIdleTime, !idle.isStale() else { return nil }
        return idle
    }

    /// Tries each address in turn, giving each an equal part of the time that is left.
    private func connect(_ patience: Patience) throws(ClientFault) -> ClientConnection {
        let addresses = try lookup.addresses(patience.during("while the name \(origin.host) was looked up"))
        let connecting = patience.during("while connecting")
        var failures: [String] = []
        for (index, address) in addresses.enumerated() {
            try connecting.check()
            let others = addresses.count - index
            let slot = others > 1 ? patience.deadline.share(of: others) : nil
            let socket = try StreamSocket(family: address.family)
            guard let failure = try socket.connect(to: address, connecting, slot: slot) else {
                return try ClientConnection(socket, context: context, host: origin.host, patience)
            }
            failures.append("\(address): \(failure)")
        }
        let list = failures.joined(separator: "; ")
        throw ClientFault(.connect, "no address took the connection (\(list)); check that the server runs there")
    }
}
