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
    /// Makes a server's context.
    ///
    /// Suites with forward secrecy and authenticated encryption only, in the server's order. There is no session
    /// resumption: nothing is kept of a client, no key encrypts tickets for longer than it should, and each connection
    /// shows its certificate again. Neither are there renegotiation, compression and early data. Of the protocols that
    /// a client offers (ALPN, RFC 7301), HTTP/1.1 and HTTP/1.0 are taken; one that offers neither is turned away.
    /// - Throws: when a file can't be read, does not hold what it should, or certificate and key don't belong together;
    ///   the error names the file.
    public static func server(_ configuration: TLSServerConfiguration) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_server_method(), verifiesPeer: configuration.clientAuthorityFile != nil)
        // Forward secrecy and authenticated encryption; all suites of TLS 1.3 have both.
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
        try context.askClients(configuration)
        return context
    }

    /// Makes the context of a server that asks clients for no certificate.
    /// - Throws: as ``server(_:)``.
    package static func server(certificateFile: String, keyFile: String) throws(TLSError) -> TLSContext {
        try server(
            TLSServerConfiguration(identity: TLSIdentityFiles(certificateFile: certificateFile, keyFile: keyFile))
        )
    }

    /// When this side's certificate ends, in seconds since 1970; nil when it has none.
    package var certificateEnd: Int64? {
        guard let certificate = SSL_CTX_get0_certificate(pointer) else { return nil }
        var time = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return nil }
        return Int64(timegm(&time))
    }

    private func askClients(_ configuration: TLSServerConfiguration) throws(TLSError) {
        guard let path = configuration.clientAuthorityFile else { return }
        try trust(authorityFile: path)
        // The names of the authorities help a client to choose among its certificates.
        SSL_CTX_set_client_CA_list(pointer, SSL_load_client_CA_file(path))
        let mode = configuration.requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | mode, nil)
        let parameters = SSL_CTX_get0_param(pointer)
        X509_VERIFY_PARAM_set_hostflags(
            parameters,
            UInt32(X509_CHECK_FLAG_NO_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        )
        for name in configuration.clientNames {
            // To OpenSSL a leading dot would mean any name below.
            guard
                !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0),
                X509_VERIFY_PARAM_add1_host(parameters, name, 0) == 1
            else {
                throw TLSError(fault: .other, message: "\"\(name)\" can't be the name of a TLS client")
            }
        }
        ERR_clear_error()
    }

    /// Picks one of the names that a client offers, each with its length before it.
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
    // SSL_OP_PRIORITIZE_CHACHA, which heeds a client without hardware for AES.
    private static let serverOptions: UInt64 = 1 << 14 | 1 << 17 | 1 << 22 | 1 << 21
}
