// SPDX-License-Identifier: MIT

import WPHTTP
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Certificates of each kind that a client must distinguish, created once.
struct WireCertificates: Sendable {
    /// Issued by the trusted authority for this machine.
    let good: TLSContext
    let expired: TLSContext
    let future: TLSContext
    let otherName: TLSContext
    /// Issued by another authority.
    let stranger: TLSContext
    let selfSigned: TLSContext
    /// The file of the trusted authority.
    let authorityFile: String

    private let directory: TemporaryDirectory

    static let shared = Result { try WireCertificates() }

    private init() throws {
        directory = try TemporaryDirectory()
        let authority = try CertificateAuthority.generate()
        authorityFile = try directory.write(authority.certificatePEM, to: "authority.pem")
        func context(_ subject: CertificateSubject = CertificateSubject()) throws -> TLSContext {
            try authority.issue(for: subject).makeTLSContext()
        }
        good = try context()
        expired = try context(
            CertificateSubject(
                notBefore: Date(timeIntervalSinceNow: -7200),
                notAfter: Date(timeIntervalSinceNow: -3600)
            )
        )
        future = try context(
            CertificateSubject(
                notBefore: Date(timeIntervalSinceNow: 86_400),
                notAfter: Date(timeIntervalSinceNow: 172_800)
            )
        )
        otherName = try context(CertificateSubject(commonName: "other", names: [.dns("other.example")]))
        stranger = try CertificateAuthority.generate().issue().makeTLSContext()
        selfSigned = try CertificateAndKey.selfSigned().makeTLSContext()
    }
}
