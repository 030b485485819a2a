// SPDX-License-Identifier: MIT

import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A self-signed certificate for localhost and its key, created for this run with the `openssl` command.
struct TLSTestIdentity: Sendable {
    let certificate: String
    let key: String
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        certificate = directory.file("certificate.pem")
        key = directory.file("key.pem")
        let arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]
        var vector: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in vector { free(pointer) } }
        var process = pid_t()
        let code = posix_spawnp(&process, "openssl", nil, nil, &vector, environ)
        guard code == 0 else { throw ClientFailure("openssl cannot be run: \(code)") }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw ClientFailure("openssl ended with status \(status)") }
    }
}
