// SPDX-License-Identifier: MIT

import COpenSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension TLSContext {
    /// Creates the context of a server.
    ///
    /// Allows only cipher suites with forward secrecy and authenticated encryption, in the server's order of
    /// preference, and no session resumption, renegotiation, compression or early data. ALPN (RFC 7301) accepts
    /// HTTP/1.1 and HTTP/1.0.
    /// - Throws: an error that names the file, if a file cannot be read or is invalid, or the certificate and the key
    ///   do not match.
    public static func server(_ configuration: TLSServerConfiguration) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_server_method(), verifiesPeer: configuration.clientAuthorityFile != nil)
        // Applies to TLS 1.2: all cipher suites of TLS 1.3 have forward secrecy and authenticated encryption.
        _ = SSL_CTX_set_cipher_list(context.pointer, "ECDHE+AESGCM:ECDHE+CHACHA20")
        if configuration.minimumVersion == .v13 {
            _ = SSL_CTX_ctrl(context.pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_3_VERSION), nil)
        }
        SSL_CTX_set_options(context.pointer, serverOptions)
        _ = SSL_CTX_ctrl(context.pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_set_num_tickets(context.pointer, 0)
        SSL_CTX_set_alpn_select_cb(
            context.pointer,
            { _, chosen, length, offered, count, _ in
                TLSContext.chooseProtocol(chosen, length, offered, count)
            },
            nil
        )
        try context.use(configuration.identity)
        try context.requestClientCertificates(configuration)
        return context
    }

    /// Creates the context of a server without client certificates.
    /// - Throws: as ``server(_:)``.
    package static func server(certificateFile: String, keyFile: String) throws(TLSError) -> TLSContext {
        try server(
            TLSServerConfiguration(identity: TLSIdentityFiles(certificateFile: certificateFile, keyFile: keyFile))
        )
    }

    /// The expiry of the local certificate in seconds since 1970; nil without a certificate.
    package var certificateEnd: Int64? {
        guard let certificate = SSL_CTX_get0_certificate(pointer) else { return nil }
        var time = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return nil }
        return Int64(timegm(&time))
    }

    private func requestClientCertificates(_ configuration: TLSServerConfiguration) throws(TLSError) {
        guard let path = configuration.clientAuthorityFile else { return }
        try trust(authorityFile: path)
        // The names of the authorities help clients to choose a certificate.
        SSL_CTX_set_client_CA_list(pointer, SSL_load_client_CA_file(path))
        let mode = configuration.requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | mode, nil)
        let parameters = SSL_CTX_get0_param(pointer)
        X509_VERIFY_PARAM_set_hostflags(
            parameters,
            UInt32(X509_CHECK_FLAG_NO_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        )
        for name in configuration.clientNames {
            // In OpenSSL, a leading dot means any subdomain.
            guard
                !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0),
                X509_VERIFY_PARAM_add1_host(parameters, name, 0) == 1
            else {
                throw TLSError(fault: .other, message: "\"\(name)\" cannot be the name of a TLS client")
            }
        }
        ERR_clear_error()
    }

    /// Selects one of the length-prefixed names that a client offers.
    private static func chooseProtocol(
        _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ chosenLength: UnsafeMutablePointer<UInt8>?,
        _ offered: UnsafePointer<UInt8>?,
        _ length: UInt32
    ) -> Int32 {
        for wanted in ["http/1.1", "http/1.0"] {
            var rest = UnsafeBufferPointer(start: offered, count: Int(length))[...]
            while let count = rest.popFirst() {
                let name = rest.prefix(Int(count))
                rest = rest.dropFirst(Int(count))
                guard name.elementsEqual(wanted.utf8) else { continue }
                chosen?.pointee = offered.map { $0 + name.startIndex }
                chosenLength?.pointee = count
                return SSL_TLSEXT_ERR_OK
            }
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }

    // Macros that Swift doesn't import: SSL_OP_NO_TICKET, SSL_OP_NO_COMPRESSION, SSL_OP_CIPHER_SERVER_PREFERENCE, and
    // SSL_OP_PRIORITIZE_CHACHA, for clients without AES hardware.
    private static let serverOptions: UInt64 = 1 << 14 | 1 << 17 | 1 << 22 | 1 << 21
}
