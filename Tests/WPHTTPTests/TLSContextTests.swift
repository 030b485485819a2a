// SPDX-License-Identifier: MIT

import Testing
import WPTestKit

@testable import WPHTTP

@Suite("The files of TLS")
struct TLSContextTests {
    private let certificates: TLSTestCertificates
    private let directory: TemporaryDirectory

    init() throws {
        certificates = try TLSTestCertificates.shared.get()
        directory = try TemporaryDirectory()
    }

    @Test("Good files are taken")
    func good() throws {
        _ = try TLSContext.client(.system)
        _ = try TLSContext.client(.none)
        _ = try TLSContext.client(.authorities(path: certificates.authority.certificate))
        _ = try certificates.good.context()
        _ = try certificates.chained.context()
    }

    @Test(
        "A file that is not there, is a directory, is empty or holds something else is named",
        arguments: [
            nil, "", "no PEM at all\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ]
    )
    func badFile(_ text: String?) throws {
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
            }
        }
    }

    @Test("A key that is another certificate's is refused, and both files are named")
    func mismatch() throws {
        let (good, other) = (certificates.good, certificates.otherName)
        let error = #expect(throws: TLSError.self) {
            try TLSContext.server(certificateFile: good.certificate, keyFile: other.key)
        }
        let message = "the key in \(other.key) does not belong to the certificate in \(good.certificate); "
        #expect(error?.message.hasPrefix(message) == true)
        #expect(error?.file == other.key)
    }

    @Test("A key under a passphrase is refused without asking anybody")
    func encryptedKey() throws {
        let error = #expect(throws: TLSError.self) {
            try TLSContext.server(
                certificateFile: certificates.good.certificate,
                keyFile: certificates.encryptedKey
            )
        }
        #expect(error?.message.contains(certificates.encryptedKey) == true)
        #expect(error?.message.contains("passphrase") == true)
    }

    @Test("A client whose authorities can't be read is not made")
    func client() throws {
        let origin = try HTTPOrigin(parsing: "https://localhost")
        let path = directory.file("none.pem")
        let error = #expect(throws: HTTPClientError.self) {
            try HTTPClient(.init(origin: origin, verification: .authorities(path: path)))
        }
        #expect(error?.code == .tls(.other))
        #expect(error?.message.contains(path) == true)
    }
}
