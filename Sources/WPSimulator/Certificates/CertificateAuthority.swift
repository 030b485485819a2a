// SPDX-License-Identifier: MIT

import WPModel

/// A private authority that issues certificates to servers, as a company has: its own certificate goes into the
/// client's bundle of authorities.
package struct CertificateAuthority: Sendable, Hashable {
    /// The authority's own certificate in PEM.
    package let certificatePEM: String
    private let keyPEM: Secret

    /// Makes an authority with a new P-256 key.
    /// - Parameter subject: whom it calls itself; an authority needs no ``CertificateSubject/names``.
    /// - Throws: ``CertificateError``, as ``SelfSignedCertificate/generate(for:)``.
    package static func generate(
        for subject: CertificateSubject = CertificateSubject(commonName: "Test authority", names: [])
    ) throws(CertificateError) -> CertificateAuthority {
        let key = try PrivateKey.generate()
        let certificate = try X509Certificate.signed(for: subject, role: .authority, key: key, by: nil)
        return CertificateAuthority(certificatePEM: try certificate.pem(), keyPEM: Secret(try key.pem()))
    }

    /// Issues a certificate to a server, with a new P-256 key.
    /// - Throws: ``CertificateError``, as ``SelfSignedCertificate/generate(for:)``.
    package func issue(
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

/// Makes self-signed certificates, as WinPower servers have: a client must be given the certificate to trust it.
package enum SelfSignedCertificate {
    /// Makes a server's certificate that vouches for itself, with a new P-256 key.
    /// - Throws: ``CertificateError`` when a name or date can't stand in a certificate, or OpenSSL refuses.
    package static func generate(
        for subject: CertificateSubject = CertificateSubject()
    ) throws(CertificateError) -> CertificateAndKey {
        let key = try PrivateKey.generate()
        let certificate = try X509Certificate.signed(for: subject, role: .server, key: key, by: nil)
        return CertificateAndKey(certificatePEM: try certificate.pem(), keyPEM: Secret(try key.pem()))
    }
}
