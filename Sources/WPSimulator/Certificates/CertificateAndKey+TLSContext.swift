// SPDX-License-Identifier: MIT

public import WPHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension CertificateAndKey {
    /// Creates a server's TLS context for this certificate. Uses temporary files that only this user can read, and
    /// removes them.
    /// - Parameter parent: the directory of the temporary files; nil for `$TMPDIR`, else `/tmp`.
    /// - Throws: ``CertificateError`` if the files cannot be written, `TLSError` if the certificate and key do not
    ///   match.
    public func makeTLSContext(in parent: String? = nil) throws -> TLSContext {
        let directory = try Self.makeDirectory(in: parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
        let certificateFile = directory + "/certificate.pem"
        let keyFile = directory + "/key.pem"
        defer {
            unlink(certificateFile)
            unlink(keyFile)
            rmdir(directory)
        }
        try write(certificateFile: certificateFile, keyFile: keyFile)
        return try TLSContext.server(certificateFile: certificateFile, keyFile: keyFile)
    }

    private static func makeDirectory(in parent: String) throws(CertificateError) -> String {
        var template = Array("\(parent)/certificate-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .file(parent, errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
