// SPDX-License-Identifier: MIT

import COpenSSL

/// Why a TLS context could not be created or a TLS session failed.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    package var fault: HTTPClientError.TLSFault
    /// What is wrong and what to do, as a clause without a capital letter or a full stop. Names the file, if any.
    public var message: String
    /// The path of the file; nil if none is involved.
    package var file: String?

    /// Creates an error.
    package init(fault: HTTPClientError.TLSFault, message: String, file: String? = nil) {
        self.fault = fault
        self.message = message
        self.file = file
    }

    /// The message.
    public var description: String { message }
}

extension TLSError {
    /// A certificate that OpenSSL rejected.
    /// - Parameter result: the result of `SSL_get_verify_result`, other than `X509_V_OK`.
    static func verification(_ result: Int, host: String) -> TLSError {
        let reason = X509_verify_cert_error_string(result).map { String(cString: $0) } ?? "error \(result)"
        switch Int32(clamping: result) {
        case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
            return TLSError(
                fault: .expired,
                message: "the server's certificate has expired (\(reason)); renew it on the server"
            )
        case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD:
            return TLSError(
                fault: .expired,
                message: "the server's certificate is not valid yet (\(reason)); compare both machines' clocks"
            )
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return TLSError(
                fault: .unknownAuthority,
                message: "the server's certificate is self-signed and not trusted; trust that certificate itself"
            )
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
            X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_INVALID_CA, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            return TLSError(
                fault: .unknownAuthority,
                message: "the server's certificate was issued by an authority that is not trusted (\(reason)); "
                    + "trust that authority"
            )
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return TLSError(
                fault: .wrongName,
                message: "the server's certificate is not for \(host) (\(reason)); use a name that the certificate has"
            )
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            return TLSError(
                fault: .other,
                message: "the server's certificate is too weak for this system (\(reason)); replace it on the server "
                    + "with one that has a 2,048-bit RSA key and uses SHA-256, or better"
            )
        default:
            return TLSError(fault: .other, message: "the server's certificate was rejected (\(reason))")
        }
    }

    /// A client certificate that a server rejected.
    static func clientVerification(_ result: Int) -> TLSError {
        let reason = X509_verify_cert_error_string(result).map { String(cString: $0) } ?? "error \(result)"
        return TLSError(fault: .other, message: "the client's certificate was rejected (\(reason))")
    }

    /// A failed handshake or transfer, from this thread's OpenSSL error queue; clears the queue.
    static func lastProtocolError() -> TLSError {
        let code = ERR_peek_error()
        let reason = lastReason() ?? "no reason given"
        // The numbers of other libraries' reasons overlap with those of SSL.
        let number = code != 0 && ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0
        if number == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED {
            return TLSError(fault: .other, message: "the server requires a client certificate, and received none")
        }
        if versionMismatches.contains(number) {
            return TLSError(
                fault: .protocolMismatch,
                message: "the peer supports neither TLS 1.2 nor TLS 1.3 (\(reason))"
            )
        }
        if mismatches.contains(number) {
            return TLSError(
                fault: .protocolMismatch,
                message: "the peer does not speak TLS on this port, or supports no common version or cipher (\(reason))"
            )
        }
        return TLSError(fault: .other, message: "TLS failed (\(reason))")
    }

    /// The first reason on this thread's OpenSSL error queue, or nil; clears the queue.
    static func lastReason() -> String? {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return nil }
        if let text = ERR_reason_error_string(code) ?? ERR_lib_error_string(code) { return String(cString: text) }
        return "OpenSSL error \(code)"
    }

    /// Whether the first error on this thread's queue is an end of stream without close_notify.
    static var lastIsUnexpectedEnd: Bool {
        let code = ERR_peek_error()
        return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING
    }

    private static let versionMismatches: Set<Int32> = [
        SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
        SSL_R_WRONG_SSL_VERSION, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION,
    ]

    private static let mismatches: Set<Int32> = [
        SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_UNKNOWN_PROTOCOL,
        SSL_R_NO_SHARED_CIPHER, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_BAD_RECORD_TYPE, SSL_R_UNEXPECTED_MESSAGE,
        SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY, SSL_R_RECORD_LENGTH_MISMATCH,
    ]
}
