// SPDX-License-Identifier: MIT

import COpenSSL
package import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A TLS connection over a non-blocking socket, for a client or a server.
///
/// No call blocks. After ``SocketStep/wantsRead`` or ``SocketStep/wantsWrite``, repeat the call when the socket is
/// ready in that direction, which may differ from that of the call. After ``SocketStep/closed`` or an error, only
/// ``sendClose()`` is allowed.
///
/// The session does not own the descriptor. No call raises SIGPIPE.
package final class TLSSession {
    /// Whether the stream ended without close_notify: a lost connection or a truncation attack (RFC 8446, section 6.1).
    /// Valid after ``SocketStep/closed``.
    package private(set) var isTruncated = false

    private let session: OpaquePointer
    private let verifiedHost: String?
    private let pinned: TLSFingerprint?
    private var isFinished = false

    /// Creates a client session. Nothing is sent before ``handshake()``.
    /// - Parameters:
    ///   - context: the client's context.
    ///   - host: the name or IP address, without brackets, that the certificate must be for, unless the context
    ///     verifies nothing. A name is also sent to the server (SNI, RFC 6066, section 3).
    ///   - descriptor: a connected, non-blocking socket that outlives the session.
    /// - Throws: if the host is not a valid certificate name, or memory allocation fails.
    package init(client context: TLSContext, host: String, descriptor: Int32) throws(TLSError) {
        session = try Self.makeSession(context, descriptor)
        verifiedHost = context.verifiesPeer ? host : nil
        pinned = context.pinned
        SSL_set_connect_state(session)
        // Certificates do not include the trailing dot of a fully qualified name.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        // A NUL would truncate the name in OpenSSL.
        guard !name.isEmpty, !name.utf8.contains(0) else { throw Self.badHost(host) }
        let isAddress = Self.isAddress(name)
        if !isAddress {
            // SSL_set_tlsext_host_name is a macro. OpenSSL copies the name.
            let accepted = name.withCString {
                SSL_ctrl(
                    session,
                    SSL_CTRL_SET_TLSEXT_HOSTNAME,
                    Int(TLSEXT_NAMETYPE_host_name),
                    UnsafeMutableRawPointer(mutating: $0)
                )
            }
            guard accepted == 1 else { throw Self.badHost(host) }
        }
        if context.verifiesPeer {
            let parameters = SSL_get0_param(session)
            X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            let accepted =
                isAddress
                ? X509_VERIFY_PARAM_set1_ip_asc(parameters, name)
                : X509_VERIFY_PARAM_set1_host(parameters, name, 0)
            guard accepted == 1 else { throw Self.badHost(host) }
        }
    }

    /// Creates a server session.
    /// - Parameters:
    ///   - context: the server's certificate and key.
    ///   - descriptor: an accepted, non-blocking socket that outlives the session.
    /// - Throws: if memory allocation fails.
    package init(server context: TLSContext, descriptor: Int32) throws(TLSError) {
        session = try Self.makeSession(context, descriptor)
        verifiedHost = nil
        pinned = nil
        SSL_set_accept_state(session)
    }

    deinit { SSL_free(session) }

    /// Continues the handshake. Repeat it until it is done before reading or writing.
    /// - Throws: if the peer cannot be verified or the protocol fails.
    package func handshake() throws(TLSError) -> SocketStep {
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        guard result == 1 else { return try step(after: result) }
        if let pinned { try check(pinned) }
        return .done(0)
    }

    /// Checks the server's certificate before any application data is sent.
    private func check(_ pinned: TLSFingerprint) throws(TLSError) {
        let shown = TLSFingerprint(ofPeerOf: session)
        guard shown != pinned else { return }
        isFinished = true
        throw TLSError(
            fault: .other,
            message: "the server's certificate is not the one that is trusted: its SHA-256 fingerprint is "
                + "\(shown.map { String(describing: $0) } ?? "unknown"), not \(pinned)"
        )
    }

    /// Reads available bytes, at least one on success.
    ///
    /// The session may buffer data, so an event loop must read until ``SocketStep/wantsRead`` before it waits.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> SocketStep {
        guard let base = buffer.baseAddress, buffer.count > 0 else { return .done(0) }
        ERR_clear_error()
        let result = SSL_read(session, base, Int32(clamping: buffer.count))
        return result > 0 ? .done(Int(result)) : try step(after: result)
    }

    /// Writes as much as the socket accepts, at least one byte on success. A repeated call may pass the bytes from
    /// another address, with more after them, but not fewer.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> SocketStep {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return .done(0) }
        ERR_clear_error()
        let result = SSL_write(session, base, Int32(clamping: bytes.count))
        return result > 0 ? .done(Int(result)) : try step(after: result)
    }

    /// Sends close_notify if the socket accepts it. Does nothing before the end of the handshake or after an error.
    package func sendClose() {
        guard !isFinished, SSL_is_init_finished(session) == 1 else { return }
        isFinished = true
        ERR_clear_error()
        _ = SSL_shutdown(session)
        ERR_clear_error()
    }

    private func step(after result: Int32) throws(TLSError) -> SocketStep {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ:
            return .wantsRead
        case SSL_ERROR_WANT_WRITE:
            return .wantsWrite
        case SSL_ERROR_ZERO_RETURN:
            return .closed
        case SSL_ERROR_SYSCALL:
            // Reset, broken pipe or timeout: the connection is lost.
            return lost()
        default:
            if TLSError.lastIsUnexpectedEnd { return lost() }
            isFinished = true
            let verdict = SSL_get_verify_result(session)
            if verdict != Int(X509_V_OK), let error = rejection(verdict) {
                ERR_clear_error()
                throw error
            }
            throw .lastProtocolError()
        }
    }

    /// Why the peer's certificate was rejected; nil if it is not verified.
    private func rejection(_ verdict: Int) -> TLSError? {
        if let verifiedHost { return .verification(verdict, host: verifiedHost) }
        return SSL_is_server(session) == 1 ? .clientVerification(verdict) : nil
    }

    private func lost() -> SocketStep {
        ERR_clear_error()
        isFinished = true
        isTruncated = true
        return .closed
    }

    private static func makeSession(_ context: TLSContext, _ descriptor: Int32) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard let session = SSL_new(context.pointer) else { throw outOfMemory() }
        guard let bio = SocketBIO.make(descriptor: descriptor) else {
            SSL_free(session)
            throw outOfMemory()
        }
        SSL_set_bio(session, bio, bio)
        SocketPlatform.suppressSIGPIPE(descriptor)
        return session
    }

    private static func outOfMemory() -> TLSError {
        let reason = TLSError.lastReason() ?? "no reason given"
        return TLSError(fault: .other, message: "OpenSSL cannot create a TLS session (\(reason))")
    }

    private static func badHost(_ host: String) -> TLSError {
        ERR_clear_error()
        return TLSError(fault: .other, message: "\"\(host)\" cannot be the name of a TLS server")
    }

    private static func isAddress(_ host: String) -> Bool {
        var v4 = in_addr()
        var v6 = in6_addr()
        return inet_pton(AF_INET, host, &v4) == 1 || inet_pton(AF_INET6, host, &v6) == 1
    }
}
