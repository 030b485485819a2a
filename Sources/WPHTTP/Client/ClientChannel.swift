// SPDX-License-Identifier: MIT

import WPCore
import WPSockets

/// Sends requests to one origin, one at a time, over a persistent connection.
///
/// Its calls block; ``HTTPClient`` runs them on a serial queue.
final class ClientChannel {
    private let origin: HTTPOrigin
    private let proxy: HTTPProxy?
    private let tls: TLSContext?
    private let tlsServerName: String?
    private let lookup: NameLookup
    private let limits: HTTPLimits
    private let maxIdleTime: Duration
    private var idle: ClientConnection?

    init(
        origin: HTTPOrigin,
        proxy: HTTPProxy?,
        tls: TLSContext?,
        tlsServerName: String?,
        lookup: NameLookup,
        limits: HTTPLimits,
        maxIdleTime: Duration
    ) {
        self.origin = origin
        self.proxy = proxy
        self.tls = tls
        self.tlsServerName = tlsServerName
        self.lookup = lookup
        self.limits = limits
        self.maxIdleTime = maxIdleTime
    }

    /// Closes the connection, if any.
    func drop() { idle = nil }

    /// Sends a request and reads its response.
    func exchange(_ request: EncodedRequest, _ context: CallContext) throws(ClientFault) -> HTTPResponse {
        if let connection = takeIdle() {
            do throws(ClientFault) {
                return try exchange(request, on: connection, context)
            } catch {
                // The server may have closed the idle connection. Retry only if the request is safe to repeat (RFC
                // 9112, section 9.3.1).
                let isSafe = request.method.isIdempotent || connection.sentBytes == 0
                guard error.code == .closed, !error.isInterruption, !connection.hasReceived, isSafe else { throw error }
            }
        }
        return try exchange(request, on: try connect(context), context)
    }

    private func exchange(
        _ request: EncodedRequest,
        on connection: ClientConnection,
        _ context: CallContext
    ) throws(ClientFault) -> HTTPResponse {
        do throws(ClientFault) {
            try connection.send(request.bytes, context.during("while the request was sent"))
        } catch {
            // A server may reject a request before reading all of it, and close after the response.
            guard error.code == .closed, !error.isInterruption, !connection.isSecure, connection.sentBytes > 0 else {
                throw error
            }
        }
        let reader = ResponseReader(
            connection: connection,
            limits: limits,
            context: context.during("while waiting for the response")
        )
        let (response, isReusable) = try reader.read(request)
        if isReusable {
            connection.idleSince = SystemTimeSource().now
            idle = connection
        }
        return response
    }

    private func takeIdle() -> ClientConnection? {
        defer { idle = nil }
        guard let idle, SystemTimeSource().now.since(idle.idleSince) < maxIdleTime, !idle.isStale() else { return nil }
        return idle
    }

    private func connect(_ context: CallContext) throws(ClientFault) -> ClientConnection {
        let connection = ClientConnection(try openSocket(context))
        if let tls {
            if let proxy { try openTunnel(connection, through: proxy, context) }
            try connection.secure(tls, host: tlsServerName ?? origin.host, context)
        }
        return connection
    }

    private func openSocket(_ context: CallContext) throws(ClientFault) -> StreamSocket {
        let host = proxy?.origin.host ?? origin.host
        let addresses = try ClientFault.catching { () throws(SocketFault) in
            try lookup.addresses(context.during("while the name \(host) was looked up"))
        }
        do throws(SocketFault) {
            return try StreamSocket.connect(to: addresses, context.during("while connecting"))
        } catch {
            guard error.kind == .connect else { throw ClientFault(error) }
            let peer = proxy.map { " of the proxy \($0)" } ?? ""
            throw ClientFault(
                .connect,
                "no address\(peer) accepted the connection (\(error.reason)); check that it runs there"
            )
        }
    }

    private func openTunnel(
        _ connection: ClientConnection,
        through proxy: HTTPProxy,
        _ context: CallContext
    ) throws(ClientFault) {
        let context = context.during("while the proxy \(proxy) was opening a tunnel")
        try connection.send(proxy.tunnelRequest(to: origin), context)
        let status = try ResponseReader(connection: connection, limits: limits, context: context).readTunnelStatus()
        guard status.isSuccess else {
            let advice = status.code == 407 ? "; check its user name and password" : ""
            throw ClientFault(.connect, "the proxy \(proxy) did not open a tunnel to the server (\(status))\(advice)")
        }
    }
}
