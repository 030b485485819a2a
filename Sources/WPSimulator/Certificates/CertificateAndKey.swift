// SPDX-License-Identifier: MIT

public import WPCore
import WPModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An X.509 certificate with its private key, for a server under test.
public struct CertificateAndKey: Sendable, Hashable {
    /// The certificate and its intermediates, without the root, in PEM (RFC 7468).
    public let certificatePEM: String
    /// The private key in PKCS #8 PEM, without a passphrase.
    public let keyPEM: Secret

    /// Creates a pair from existing PEM strings, without checking that they match.
    public init(certificatePEM: String, keyPEM: Secret) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }

    /// Creates a self-signed server certificate with a new P-256 key, like those of WinPower. Only clients that have
    /// the certificate trust it.
    /// - Parameter subject: the subject of the certificate.
    /// - Throws: ``CertificateError`` if a name or date is invalid, or OpenSSL fails.
    public static func selfSigned(
        for subject: CertificateSubject = CertificateSubject()
    ) throws(CertificateError) -> CertificateAndKey {
        try X509Certificate.issued(for: subject, role: .server)
    }

    /// Writes both files; only the owner can read the key.
    /// - Throws: ``CertificateError`` with code `file`, including when a file already exists.
    public func write(certificateFile: String, keyFile: String) throws(CertificateError) {
        try Self.write(keyPEM.reveal(), to: keyFile, mode: 0o600)
        try Self.write(certificatePEM, to: certificateFile, mode: 0o644)
    }

    private static func write(_ text: String, to path: String, mode: mode_t) throws(CertificateError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0, let file = fdopen(descriptor, "w") else { throw .file(path, errno) }
        let isWritten = fputs(text, file) >= 0
        let failure = errno
        guard fclose(file) == 0, isWritten else {
            unlink(path)
            throw .file(path, isWritten ? errno : failure)
        }
    }
}

/// Why a certificate could not be created or written.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable {
        /// A name or a date is not valid in a certificate.
        case invalid
        /// OpenSSL failed.
        case openSSL
        /// A file cannot be written.
        case file
    }

    /// The kind of failure.
    public var code: Code
    /// What failed, on what, and why. Never contains a key.
    public var message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }

    static func file(_ path: String, _ number: Int32) -> CertificateError {
        CertificateError(code: .file, message: "cannot write \(path): \(String(cString: strerror(number)))")
    }
}
