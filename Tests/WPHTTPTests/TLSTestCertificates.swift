// SPDX-License-Identifier: MIT

import WPHTTP
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Keys and certificates created for this run with the `openssl` command.
struct TLSTestCertificates: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A certificate and its key.
    struct Identity: Sendable {
        let certificate: String
        let key: String

        func context() throws(TLSError) -> TLSContext {
            try TLSContext.server(certificateFile: certificate, keyFile: key)
        }
    }

    /// The authority of the certificates.
    let authority: Identity
    /// For localhost, 127.0.0.1 and ::1.
    let good: Identity
    /// Issued by an intermediate authority, which is included in the certificate file.
    let chained: Identity
    /// The intermediate authority.
    let intermediate: Identity
    /// For another name and another address.
    let otherName: Identity
    /// Expired yesterday.
    let expired: Identity
    /// Self-signed.
    let selfSigned: Identity
    /// A file with the encrypted key of `good`.
    let encryptedKey: String

    private let directory: TemporaryDirectory

    /// Created once, because generating keys is slow.
    static let shared = Result { try TLSTestCertificates() }

    private init() throws {
        let directory = try TemporaryDirectory()
        self.directory = directory

        func identity(_ name: String) -> Identity {
            Identity(certificate: directory.file("\(name).pem"), key: directory.file("\(name).key"))
        }
        func openssl(_ line: String, _ more: [String] = []) throws {
            try Self.run(["openssl"] + line.split(separator: " ").map(String.init) + more)
        }
        let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        func selfSigned(_ name: String, extensions: [String]) throws -> Identity {
            let made = identity(name)
            try openssl(
                "req -x509 \(newKey) -days 2 -keyout \(made.key) -out \(made.certificate) -subj /CN=\(name)",
                extensions.flatMap { ["-addext", $0] }
            )
            return made
        }
        func issued(
            _ name: String,
            by issuer: Identity,
            days: Int = 2,
            extensions: String
        ) throws -> Identity {
            let made = identity(name)
            let request = directory.file("\(name).csr")
            let file = try directory.write("\(extensions)\n", to: "\(name).ext")
            try openssl("req -new \(newKey) -keyout \(made.key) -out \(request) -subj /CN=\(name)")
            try openssl(
                "x509 -req -in \(request) -CA \(issuer.certificate) -CAkey \(issuer.key) -set_serial 7 "
                    + "-days \(days) -extfile \(file) -out \(made.certificate)"
            )
            return made
        }

        let local = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"
        authority = try selfSigned("authority", extensions: [])
        good = try issued("good", by: authority, extensions: local)
        intermediate = try issued("intermediate", by: authority, extensions: "basicConstraints=critical,CA:TRUE")
        let leaf = try issued("chained", by: intermediate, extensions: local)
        let chain = try directory.text(of: "chained.pem") + directory.text(of: "intermediate.pem")
        chained = Identity(certificate: try directory.write(chain, to: "chain.pem"), key: leaf.key)
        otherName = try issued(
            "other",
            by: authority,
            extensions: "subjectAltName=DNS:other.example,IP:192.0.2.1"
        )
        expired = try issued("expired", by: authority, days: -1, extensions: local)
        self.selfSigned = try selfSigned("self", extensions: [local, "basicConstraints=critical,CA:FALSE"])
        encryptedKey = directory.file("encrypted.key")
        try openssl("ec -aes128 -passout pass:secret -in \(good.key) -out \(encryptedKey)")
    }

    /// The SHA-256 digest of a certificate, computed by the `openssl` command.
    func fingerprint(of identity: Identity) throws -> String {
        let der = directory.file("digest.der")
        let digest = directory.file("digest.txt")
        try Self.run(["openssl", "x509", "-in", identity.certificate, "-outform", "DER", "-out", der])
        try Self.run(["openssl", "dgst", "-sha256", "-r", "-out", digest, der])
        return String(try directory.text(of: "digest.txt").prefix(64))
    }

    /// Runs a program without input and output and waits for it.
    private static func run(_ words: [String]) throws {
        var actions = FileActions()
        guard posix_spawn_file_actions_init(&actions) == 0 else { throw Failure(description: "no file actions") }
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        // The command has no environment that could change its output.
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var child: pid_t = 0
        let status = posix_spawnp(&child, words[0], &actions, nil, arguments, &environment)
        guard status == 0 else { throw Failure(description: "\(words[0]) does not start: error \(status)") }
        var ending: Int32 = 0
        while waitpid(child, &ending, 0) < 0, errno == EINTR {}
        guard ending == 0 else { throw Failure(description: "failed: \(words.joined(separator: " "))") }
    }
}

#if canImport(Darwin)
private typealias FileActions = posix_spawn_file_actions_t?
#else
private typealias FileActions = posix_spawn_file_actions_t
#endif
