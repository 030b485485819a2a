// SPDX-License-Identifier: MIT

import WPCore
import WPSockets

/// One connection to a server, plain or over TLS, used by one thread at a time.
final class ClientConnection {
    /// Received bytes that have not been consumed yet.
    var input: [UInt8] = []
    /// Whether bytes were received since the request began.
    private(set) var hasReceived = false
    /// The number of bytes of the request that have been sent.
    private(set) var sentBytes = 0
    /// When the connection last became idle.
    var idleSince = SystemTimeSource().now

    private let socket: StreamSocket
    private var tls: TLSSession?
    private var scratch = [UInt8](repeating: 0, count: 32 * 1024)

    /// Takes ownership of a connected socket.
    init(_ socket: StreamSocket) {
        self.socket = socket
    }

    deinit { tls?.sendClose() }

    /// Starts TLS on the connection.
    /// - Parameter host: the name or address that the certificate must be for.
    /// - Throws: ``HTTPClientError/Code/tls(_:)``, ``HTTPClientError/Code/closed``, or the context's error.
    func secure(_ tlsContext: TLSContext, host: String, _ context: CallContext) throws(ClientFault) {
        do throws(TLSError) {
            tls = try TLSSession(client: tlsContext, host: host, descriptor: socket.descriptor)
        } catch {
            throw ClientFault(error)
        }
        let context = context.during("during the TLS handshake")
        while true {
            switch try step({ session throws(TLSError) in try session.handshake() }) {
            case .done: return
            case .closed:
                throw ClientFault(
                    .closed,
                    "the server closed the connection during the TLS handshake; check that it speaks TLS on this port"
                )
            case .wantsRead: try wait(context, pollIn)
            case .wantsWrite: try wait(context, pollOut)
            }
        }
    }

    /// Whether the connection runs over TLS.
    var isSecure: Bool { tls != nil }

    /// Whether the connection ended without an orderly close. Valid after ``receive(_:)`` returned false.
    var isTruncated: Bool { tls?.isTruncated ?? socket.isTruncated }

    /// Whether an idle connection is unusable: closed by the peer, or with unsolicited input.
    func isStale() -> Bool {
        guard input.isEmpty else { return true }
        guard socket.isReadable else { return false }
        // lint: a TLS session ticket may be readable, and a connection that fails is stale too
        return (try? readOnce()) != .wantsRead
    }

    /// Sends all of a request.
    /// - Throws: ``HTTPClientError/Code/closed``, or the context's error.
    func send(_ bytes: [UInt8], _ context: CallContext) throws(ClientFault) {
        hasReceived = false
        sentBytes = 0
        while sentBytes < bytes.count {
            try check(context)
            switch try writeOnce(bytes) {
            case .done(let count): sentBytes += count
            case .wantsRead: try wait(context, pollIn)
            case .wantsWrite: try wait(context, pollOut)
            case .closed: throw ClientFault(.closed, "the server closed the connection while the request was sent")
            }
        }
    }

    /// Appends received bytes to ``input``.
    /// - Returns: false at the end of the stream.
    /// - Throws: the context's error, or if TLS fails.
    func receive(_ context: CallContext) throws(ClientFault) -> Bool {
        while true {
            // Check even if data is always available: a server could send slowly forever.
            try check(context)
            switch try readOnce() {
            case .done(let count):
                hasReceived = true
                input.append(contentsOf: scratch[..<count])
                return true
            case .wantsRead: try wait(context, pollIn)
            case .wantsWrite: try wait(context, pollOut)
            case .closed: return false
            }
        }
    }

    private func check(_ context: CallContext) throws(ClientFault) {
        try ClientFault.catching { () throws(SocketFault) in try context.check() }
    }

    private func wait(_ context: CallContext, _ events: Int32) throws(ClientFault) {
        _ = try ClientFault.catching { () throws(SocketFault) in
            try context.wait(for: socket.descriptor, events)
        }
    }

    private func readOnce() throws(ClientFault) -> SocketStep {
        try scratch.withUnsafeMutableBufferPointer { (buffer) throws(ClientFault) in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            guard tls != nil else { return socket.read(into: raw) }
            return try step { session throws(TLSError) in try session.read(into: raw) }
        }
    }

    private func writeOnce(_ bytes: [UInt8]) throws(ClientFault) -> SocketStep {
        try bytes.withUnsafeBufferPointer { (buffer) throws(ClientFault) in
            let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer).dropFirst(sentBytes))
            guard tls != nil else { return socket.write(rest) }
            return try step { session throws(TLSError) in try session.write(rest) }
        }
    }

    private func step(
        _ body: (TLSSession) throws(TLSError) -> SocketStep
    ) throws(ClientFault) -> SocketStep {
        guard let tls else { return .closed }
        do throws(TLSError) {
            return try body(tls)
        } catch {
            throw ClientFault(error)
        }
    }
}
