// SPDX-License-Identifier: MIT

import COpenSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The common settings of the TLS sessions of a client or server: trust, identity, versions, ciphers.
///
/// TLS 1.2 is the minimum version. Creating a context reads files; its sessions read none.
///
/// Unchecked because the `SSL_CTX` is immutable after initialization; OpenSSL locks its session cache and reference
/// count.
public final class TLSContext: @unchecked Sendable {
    /// The `SSL_CTX`.
    let pointer: OpaquePointer
    /// Whether sessions check the peer's certificate.
    let verifiesPeer: Bool
    /// The only certificate that a client accepts; nil to apply ``verifiesPeer``.
    private(set) var pinned: TLSFingerprint?

    init(_ method: OpaquePointer?, verifiesPeer: Bool) throws(TLSError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(method) else {
            throw TLSError(
                fault: .other,
                message: "OpenSSL cannot create a TLS context (\(TLSError.lastReason() ?? "no reason given"))"
            )
        }
        self.pointer = pointer
        self.verifiesPeer = verifiesPeer
        SSL_CTX_set_verify(pointer, verifiesPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // Partial writes and a moving buffer allow retrying a write from another address. Released buffers save 32 KB
        // per idle connection.
        let mode = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(mode), nil)
        SSL_CTX_set_options(pointer, Self.noRenegotiation)
    }

    deinit { SSL_CTX_free(pointer) }

    /// Creates the context of a client.
    ///
    /// With ``TLSVerification/system``, OpenSSL's default authorities apply, or those of the environment variables
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR`. With ``TLSVerification/authorities(path:)``, every certificate of the bundle
    /// is trusted: a root, an intermediate authority, or a server's own certificate.
    /// - Parameters:
    ///   - verification: the verification of the server.
    ///   - identity: the client certificate and key; nil for none.
    /// - Throws: an error that names the file, if the bundle or the identity is invalid.
    package static func client(
        _ verification: TLSVerification,
        identity: TLSIdentityFiles? = nil
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_client_method(), verifiesPeer: verification.usesAuthorities)
        switch verification {
        case .none:
            break
        case .pinned(let fingerprint):
            context.pinned = fingerprint
        case .system:
            guard SSL_CTX_set_default_verify_paths(context.pointer) == 1 else {
                throw TLSError(
                    fault: .other,
                    message: "the system's certificate authorities cannot be loaded "
                        + "(\(TLSError.lastReason() ?? "no reason given")); name a bundle of authorities instead"
                )
            }
        case .authorities(let path):
            try context.trust(authorityFile: path)
        }
        if let identity { try context.use(identity) }
        return context
    }

    /// Trusts every certificate of a bundle.
    func trust(authorityFile path: String) throws(TLSError) {
        try Self.requireReadable(path, is: "authority file")
        guard SSL_CTX_load_verify_locations(pointer, path, nil) == 1 else {
            throw Self.unusable(path, as: "authority file", "contains no PEM certificate")
        }
        _ = X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }

    /// Loads the local certificate and key.
    func use(_ identity: TLSIdentityFiles) throws(TLSError) {
        // Without a callback OpenSSL would prompt on the terminal.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in -1 }
        try Self.requireReadable(identity.certificateFile, is: "certificate file")
        guard SSL_CTX_use_certificate_chain_file(pointer, identity.certificateFile) == 1 else {
            throw Self.unusable(identity.certificateFile, as: "certificate file", "contains no usable PEM certificate")
        }
        try Self.requireReadable(identity.keyFile, is: "key file")
        guard SSL_CTX_use_PrivateKey_file(pointer, identity.keyFile, SSL_FILETYPE_PEM) == 1 else {
            if ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH { throw Self.mismatch(identity) }
            throw Self.unusable(identity.keyFile, as: "key file", "contains no usable PEM key without a passphrase")
        }
        guard SSL_CTX_check_private_key(pointer) == 1 else { throw Self.mismatch(identity) }
    }

    private static func requireReadable(_ path: String, is role: String) throws(TLSError) {
        ERR_clear_error()
        // OpenSSL would report a file that cannot be read as an empty one.
        guard access(path, R_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw TLSError(fault: .other, message: "the \(role) \(path) cannot be read (\(reason))", file: path)
    }

    private static func unusable(_ path: String, as role: String, _ fault: String) -> TLSError {
        let reason = TLSError.lastReason() ?? "no reason given"
        return TLSError(fault: .other, message: "the \(role) \(path) \(fault) (\(reason))", file: path)
    }

    private static func mismatch(_ identity: TLSIdentityFiles) -> TLSError {
        ERR_clear_error()
        return TLSError(
            fault: .other,
            message: "the key in \(identity.keyFile) does not belong to the certificate in "
                + "\(identity.certificateFile); name the key that the certificate was issued for",
            file: identity.keyFile
        )
    }

    // SSL_OP_NO_RENEGOTIATION: a macro that Swift doesn't import.
    private static let noRenegotiation: UInt64 = 1 << 30
}
