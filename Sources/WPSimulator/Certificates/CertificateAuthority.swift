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
        let key = try PrivateKey.generate()
        let certificate = try X509Certificate.signed(for: subject, role: .authority, key: key, by: nil)
        return CertificateAuthority(certificatePEM: try certificate.pem(), keyPEM: Secret(try key.pem()))
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
        let key = try PrivateKey.generate()
        let certificate = try X509Certificate.signed(for: subject, role: .server, key: key, by: issuer)
        return CertificateAndKey(certificatePEM: try certificate.pem(), keyPEM: Secret(try key.pem()))
    }
}
