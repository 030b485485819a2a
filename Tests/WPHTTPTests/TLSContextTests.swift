// SPDX-License-Identifier: MIT

import Testing
import WPTestKit

@testable import WPHTTP

@Suite("Certificate and key files")
struct TLSContextTests {
    private let certificates: TLSTestCertificates
    private let directory: TemporaryDirectory

    init() throws {
        certificates = try TLSTestCertificates.shared.get()
        directory = try TemporaryDirectory()
    }

    @Test func loadsValidFiles() throws {
        _ = try TLSContext.client(.system)
        _ = try TLSContext.client(.none)
        _ = try TLSContext.client(.authorities(path: certificates.authority.certificate))
        _ = try certificates.good.context()
        _ = try certificates.chained.context()
    }

    @Test(
        arguments: [
            nil, "", "no PEM at all\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ]
    )
    func namesAnUnusableFile(_ text: String?) throws {
        let path = directory.file("bad.pem")
        if let text { try directory.write(text, to: "bad.pem") }
        let good = certificates.good
        for path in [path, directory.path] {
            let contexts: [() throws -> TLSContext] = [
                { try TLSContext.client(.authorities(path: path)) },
                { try TLSContext.server(certificateFile: path, keyFile: good.key) },
                { try TLSContext.server(certificateFile: good.certificate, keyFile: path) },
            ]
            for make in contexts {
                let error = #expect(throws: TLSError.self) { try make() }
                #expect(error?.fault == .other)
                #expect(error?.message.contains(path) == true)
                #expect(error?.file == path)
                if text == nil, path != directory.path { #expect(error?.message.contains("cannot be read") == true) }
            }
        }
    }

    @Test func namesBothFilesOfAMismatchedPair() throws {
        let (good, other) = (certificates.good, certificates.otherName)
        let error = #expect(throws: TLSError.self) {
            try TLSContext.server(certificateFile: good.certificate, keyFile: other.key)
        }
        let message = "the key in \(other.key) does not belong to the certificate in \(good.certificate); "
        #expect(error?.message.hasPrefix(message) == true)
        #expect(error?.file == other.key)
    }

    @Test func rejectsAnEncryptedKeyWithoutPrompting() throws {
        let error = #expect(throws: TLSError.self) {
            try TLSContext.server(
                certificateFile: certificates.good.certificate,
                keyFile: certificates.encryptedKey
            )
        }
        #expect(error?.message.contains(certificates.encryptedKey) == true)
        #expect(error?.message.contains("passphrase") == true)
    }

    @Test func rejectsAnUnreadableBundle() throws {
        let origin = try HTTPOrigin(parsing: "https://localhost")
        let path = directory.file("none.pem")
        let error = #expect(throws: HTTPClientError.self) {
            try HTTPClient(.init(origin: origin, verification: .authorities(path: path)))
        }
        #expect(error?.code == .tls(.other))
        #expect(error?.message.contains(path) == true)
    }

    @Test(arguments: [("a.example", true), ("", false), (".example", false), ("a\0.example", false)])
    func checksTheNamesOfClients(_ name: String, _ isAccepted: Bool) {
        let good = certificates.good
        let configuration = TLSServerConfiguration(
            identity: TLSIdentityFiles(certificateFile: good.certificate, keyFile: good.key),
            clientAuthorityFile: certificates.authority.certificate,
            clientNames: ["b.example", name]
        )
        let message = isAccepted ? nil : "\"\(name)\" cannot be the name of a TLS client"
        #expect(fault(of: { try TLSContext.server(configuration) })?.message == message)
    }

    private func fault(of make: () throws -> TLSContext) -> TLSError? {
        do {
            _ = try make()
            return nil
        } catch {
            return error as? TLSError
        }
    }

    @Test func parsesFingerprints() throws {
        let plain = String(repeating: "0aF9", count: 16)
        let fingerprint = try #require(TLSFingerprint(plain))
        let shown = Array(repeating: "0A:F9", count: 16).joined(separator: ":")
        #expect(fingerprint.description == shown)
        #expect(TLSFingerprint(shown) == fingerprint)
        for wrong in [
            "", String(plain.dropLast()), String(plain.dropLast(2)), plain + "0", plain + "00",
            String(shown.dropLast()), shown + ":", "0g" + plain.dropFirst(2), shown.replacing("0A:", with: "0:A"),
            "0" + shown,
        ] {
            #expect(TLSFingerprint(wrong) == nil, "\(wrong)")
        }
    }
}
