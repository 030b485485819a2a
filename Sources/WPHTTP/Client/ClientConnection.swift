// SPDX-License-Identifier: MIT

/// One connection to a server, plain or over TLS, used by one thread at a time.
final class ClientConnection {
    /// What has come and is not consumed.
    var input: [UInt8] = []
    /// Whether anything has come since the request began.
    private(set) var hasReceived = false
    /// How much of the request the system has taken.
    private(set) var sentBytes = 0
    /// When the connection last became idle.
    var idleSince = ContinuousClock.now

    private let socket: StreamSocket
    private let tls: TLSSession?
    private var scratch = [UInt8](repeating: 0, count: 32 * 1024)

    /// Takes over a connected socket, and makes it one over TLS when there is a context.
    /// - Throws: ``HTTPClientError/Code/tls(_:)``, ``HTTPClientError/Code/closed``, or when patience ends.
    init(_ socket: StreamSocket, context: TLSContext?, host: String, _ patience: Patience) throws(ClientFault) {
        self.socket = socket
        guard let context else {
            tls = nil
            return
        }
        do throws(TLSError) {
            tls = try TLSSession(client: context, host: host, descriptor: socket.descriptor)
        } catch {
            throw ClientFault(error)
        }
        let patience = patience.during("during the TLS handshake")
        while true {
            switch try secure({ session throws(TLSError) in try session.handshake() }) {
            case .done: return
            case .closed:
                throw ClientFault(
                    .closed,
                    "the server closed the connection during the TLS handshake; check that it speaks TLS on this port"
                )
            case .wantsRead: _ = try patience.wait(for: socket.descriptor, pollIn)
            case .wantsWrite: _ = try patience.wait(for: socket.descriptor, pollOut)
            }
        }
    }

    deinit { tls?.sendClose() }

    /// Whether the connection runs over TLS.
    var isSecure: Bool { tls != nil }

    /// Whether the peer ended the connection otherwise than in order. Meaningful after ``receive(_:)`` gave false.
    var isTruncated: Bool { tls?.isTruncated ?? socket.isTruncated }

    /// Whether nothing can be sent on an idle connection: the peer has closed it, or has sent what nobody asked for.
    func isStale() -> Bool {
        guard input.isEmpty else { return true }
        guard socket.isReadable else { return false }
        // Over TLS there may be a session ticket to read, which means nothing.
        return (try? readOnce()) != .wantsRead
    }

    /// Sends all of a request.
    /// - Throws: ``HTTPClientError/Code/closed``, or when patience ends.
    func send(_ bytes: [UInt8], _ patience: Patience) throws(ClientFault) {
        hasReceived = false
        sentBytes = 0
        while sentBytes < bytes.count {
            try patience.check()
            switch try writeOnce(bytes) {
            case .done(let count): sentBytes += count
            case .wantsRead: _ = try patience.wait(for: socket.descriptor, pollIn)
            case .wantsWrite: _ = try patience.wait(for: socket.descriptor, pollOut)
            case .closed: throw ClientFault(.closed, "the server closed the connection while the request was sent")
            }
        }
    }

    /// Adds what comes next to ``input``.
    /// - Returns: false at the end of the stream.
    /// - Throws: when patience ends, or TLS fails.
    func receive(_ patience: Patience) throws(ClientFault) -> Bool {
        while true {
            // Also when there is always something to read: a server may drip for ever.
            try patience.check()
            switch try readOnce() {
            case .done(let count):
                hasReceived = true
                input.append(contentsOf: scratch[..<count])
                return true
            case .wantsRead: _ = try patience.wait(for: socket.descriptor, pollIn)
            case .wantsWrite: _ = try patience.wait(for: socket.descriptor, pollOut)
            case .closed: return false
            }
        }
    }

    private func readOnce() throws(ClientFault) -> TLSSession.Step {
        try scratch.withUnsafeMutableBufferPointer { (buffer) throws(ClientFault) in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            guard tls != nil else { return socket.read(into: raw) }
            return try secure { session throws(TLSError) in try session.read(into: raw) }
        }
    }

    private func writeOnce(_ bytes: [UInt8]) throws(ClientFault) -> TLSSession.Step {
        try bytes.withUnsafeBufferPointer { (buffer) throws(ClientFault) in
            let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer).dropFirst(sentBytes))
            guard tls != nil else { return socket.write(rest) }
            return try secure { session throws(TLSError) in try session.write(rest) }
        }
    }

    private func secure(
        _ body: (TLSSession) throws(TLSError) -> TLSSession.Step
    ) throws(ClientFault) -> TLSSession.Step {
        guard let tls else { return .closed }
        do throws(TLSError) {
            return try body(tls)
        } catch {
            throw ClientFault(error)
        }
    }
}
