// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// A private certificate authority, like that of a company: its certificate belongs in the client's CA bundle.
public struct CertificateAuthority: Sendable, Hashable {
    /// The authority's own certificate in PEM.
    public let certificatePEM: String
    private let keyPEM: Secret

    /// Creates an authority with a new P-256 key.
    /// - Parameter subject: its name; an authority does not need ``CertificateSubject/names``.
    /// - Throws: ``CertificateError``, as ``CertificateAndKey/selfSigned(for:)``.
    public static func generate(
        for subject: CertificateSubject = CertificateSubject(commonName: "Test authority", names: [])
    ) throws(CertificateError) -> CertificateAuthority {
        let own = try X509Certificate.issued(for: subject, role: .authority)
        return CertificateAuthority(certificatePEM: own.certificatePEM, keyPEM: own.keyPEM)
    }

    /// Issues a certificate to a server, with a new P-256 key.
    /// - Throws: ``CertificateError``, as ``CertificateAndKey/selfSigned(for:)``.
    public func issue(
        for subject: CertificateSubject = CertificateSubject()
    ) throws(CertificateError) -> CertificateAndKey {
        let issuer = X509Certificate.Issuer(
            certificate: try X509Certificate(pem: certificatePEM),
            key: try PrivateKey(pem: keyPEM)
        )
        return try X509Certificate.issued(for: subject, role: .server, by: issuer)
    }
}
