// SPDX-License-Identifier: MIT

package import WPModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An X.509 certificate with its private key, for a server under test.
package struct CertificateAndKey: Sendable, Hashable {
    /// The certificate, followed by those above it up to but not including the root, in PEM (RFC 7468).
    package let certificatePEM: String
    /// The private key in PKCS #8 PEM, without a passphrase.
    package let keyPEM: Secret

    /// Creates a pair of what was made elsewhere. Whether the two belong together is not checked.
    package init(certificatePEM: String, keyPEM: Secret) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }

    /// Writes both files, the key's readable by its owner alone.
    /// - Throws: ``CertificateError`` of code `file`, also when one of the files is there already: a key of somebody
    ///   else's is never overwritten.
    package func write(certificateFile: String, keyFile: String) throws(CertificateError) {
        try Self.write(keyPEM.reveal(), to: keyFile, mode: 0o600)
        try Self.write(certificatePEM, to: certificateFile, mode: 0o644)
    }

    private static func write(_ text: String, to path: String, mode: mode_t) throws(CertificateError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .file(path, errno) }
        var failure: Int32 = 0
        var rest = Array(text.utf8)[...]
        while failure == 0, !rest.isEmpty {
            let written = rest.withUnsafeBytes { Self.write(descriptor, $0) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                failure = errno
            }
        }
        if close(descriptor) != 0, failure == 0 { failure = errno }
        guard failure == 0 else {
            unlink(path)
            throw .file(path, failure)
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Darwin)
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}

/// Why a certificate could not be made or written.
package struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable, Hashable {
        /// A name or a date can't stand in a certificate.
        case invalid
        /// OpenSSL refused.
        case openSSL
        /// A file can't be written.
        case file
    }

    /// The kind of failure.
    package var code: Code
    /// One sentence: what was tried, on what, what came of it. Never holds a key.
    package var message: String

    /// Creates an error.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }

    static func file(_ path: String, _ number: Int32) -> CertificateError {
        CertificateError(code: .file, message: "can't write \(path): \(String(cString: strerror(number)))")
    }
}
