// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPModel
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct CertificateTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// The error of a client with these authorities for a server with this certificate; nil on success.
    private func fault(
        of identity: CertificateAndKey,
        trusting authority: String,
        host: String = "localhost"
    ) throws -> HTTPClientError.TLSFault? {
        try identity.write(certificateFile: folder.file("server.pem"), keyFile: folder.file("key.pem"))
        let bundle = try folder.write(authority, to: "authorities.pem")
        let server = try TLSContext.server(
            certificateFile: folder.file("server.pem"),
            keyFile: folder.file("key.pem")
        )
        let client = try TLSContext.client(.authorities(path: bundle))
        return try TLSLoopback.fault(client: client, server: server, host: host)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "::1"])
    func aSelfSignedCertificateIsValidForThisComputer(host: String) throws {
        let identity = try CertificateAndKey.selfSigned()
        #expect(identity.certificatePEM.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(identity.keyPEM.reveal().hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try fault(of: identity, trusting: identity.certificatePEM, host: host) == nil)
    }

    /// The DER encoding of these members (RFC 5280, 4.1 and 4.2.1).
    @Test func issuesVersion3CertificatesWithKeyIdentifiers() throws {
        func bytes(_ pem: String) throws -> Data {
            let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
            return try #require(Data(base64Encoded: lines.joined()))
        }
        let authority = try CertificateAuthority.generate()
        let version: [UInt8] = [0xA0, 0x03, 0x02, 0x01, 0x02]
        let subjectKey: [UInt8] = [0x55, 0x1D, 0x0E, 0x04, 0x16, 0x04, 0x14]
        let authorityKey: [UInt8] = [0x55, 0x1D, 0x23, 0x04, 0x18, 0x30, 0x16, 0x80, 0x14]
        for (pem, isIssued) in [(authority.certificatePEM, false), (try authority.issue().certificatePEM, true)] {
            let certificate = try bytes(pem)
            #expect(certificate.firstRange(of: version) != nil && certificate.firstRange(of: subjectKey) != nil)
            #expect((certificate.firstRange(of: authorityKey) != nil) == isIssued)
        }
    }

    @Test(arguments: ["ups.example", "127.0.0.2"])
    func aSelfSignedCertificateIsInvalidForOtherNames(host: String) throws {
        let identity = try CertificateAndKey.selfSigned()
        #expect(try fault(of: identity, trusting: identity.certificatePEM, host: host) == .wrongName)
    }

    @Test func clientsDoNotTrustASelfSignedCertificateByDefault() throws {
        let other = try CertificateAndKey.selfSigned()
        #expect(try fault(of: CertificateAndKey.selfSigned(), trusting: other.certificatePEM) == .unknownAuthority)
    }

    @Test(arguments: [(-7200.0, -60.0), (3600.0, 7200.0)])
    func aCertificateIsValidBetweenItsDates(from: Double, until: Double) throws {
        let identity = try CertificateAndKey.selfSigned(
            for: CertificateSubject(
                notBefore: Date(timeIntervalSinceNow: from),
                notAfter: Date(timeIntervalSinceNow: until)
            )
        )
        #expect(try fault(of: identity, trusting: identity.certificatePEM) == .expired)
    }

    @Test func clientsTrustServersOfTheirAuthority() throws {
        let authority = try CertificateAuthority.generate()
        let subject = CertificateSubject(commonName: "UPS 机房", names: [.dns("*.ups.example"), .ip("10.0.0.1")])
        let identity = try authority.issue(for: subject)
        #expect(try fault(of: identity, trusting: authority.certificatePEM, host: "a.ups.example") == nil)
    }

    @Test func clientsRejectServersOfAnotherAuthority() throws {
        let authority = try CertificateAuthority.generate()
        let other = try CertificateAuthority.generate()
        #expect(try fault(of: other.issue(), trusting: authority.certificatePEM) == .unknownAuthority)
    }

    @Test(arguments: [
        CertificateSubject(names: [.dns("")]), CertificateSubject(names: [.dns("a,IP:1.2.3.4")]),
        CertificateSubject(names: [.dns("a\0b")]), CertificateSubject(names: [.dns("ä.example")]),
        CertificateSubject(names: [.ip("")]), CertificateSubject(names: [.ip("localhost")]),
        CertificateSubject(commonName: ""),
        CertificateSubject(commonName: String(repeating: "x", count: 65)),
    ])
    func rejectsNamesInvalidInACertificate(subject: CertificateSubject) throws {
        let error = #expect(throws: CertificateError.self) { try CertificateAndKey.selfSigned(for: subject) }
        #expect(error?.code == .invalid)
    }

    // Arguments are seconds, because a failing test prints them, and not every date can be printed.
    @Test(arguments: [-1, 253_402_300_800, 1e300, .infinity, -.infinity, Double.nan])
    func rejectsDatesOutOfRange(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        for subject in [CertificateSubject(notBefore: date), CertificateSubject(notAfter: date)] {
            let error = #expect(throws: CertificateError.self) { try CertificateAndKey.selfSigned(for: subject) }
            #expect(error?.code == .invalid)
        }
    }

    @Test func rejectsAnInvalidAddress() throws {
        let error = #expect(throws: CertificateError.self) {
            try CertificateAndKey.selfSigned(for: CertificateSubject(names: [.ip("999.1.2.3")]))
        }
        #expect(error?.code == .openSSL)
        #expect(error?.message.contains("999.1.2.3") == true)
    }

    @Test func everyKeyIsNewAndNeverPrinted() throws {
        let first = try CertificateAndKey.selfSigned()
        let second = try CertificateAndKey.selfSigned()
        #expect(first.keyPEM != second.keyPEM)
        #expect(!"\(first)".contains("PRIVATE"))
        #expect(try !"\(CertificateAuthority.generate())".contains("PRIVATE"))
    }

    @Test func onlyTheOwnerCanReadAKeyFile() throws {
        let identity = try CertificateAndKey.selfSigned()
        try identity.write(certificateFile: folder.file("c.pem"), keyFile: folder.file("k.pem"))
        #expect(try folder.text(of: "c.pem") == identity.certificatePEM)
        #expect(try folder.text(of: "k.pem") == identity.keyPEM.reveal())
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("k.pem"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func neverOverwritesAnExistingFile() throws {
        let identity = try CertificateAndKey.selfSigned()
        try folder.write("precious", to: "k.pem")
        let error = #expect(throws: CertificateError.self) {
            try identity.write(certificateFile: folder.file("c.pem"), keyFile: folder.file("k.pem"))
        }
        #expect(error?.code == .file)
        #expect(error?.message.contains(folder.file("k.pem")) == true)
        #expect(try folder.text(of: "k.pem") == "precious")
        #expect(folder.names == ["k.pem"])
        #expect(throws: CertificateError.self) {
            try identity.write(certificateFile: folder.file("none/c.pem"), keyFile: folder.file("none/k.pem"))
        }
    }
}
