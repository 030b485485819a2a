// SPDX-License-Identifier: MIT

import WPModel

/// Makes certificates that only somebody who was handed them trusts, as WinPower servers have.
public enum SelfSignedCertificate {
    /// Makes a server's certificate that vouches for itself, with a new P-256 key.
    /// - Throws: ``CertificateError`` when a name or date can't stand in a certificate, or OpenSSL refuses.
    public static func generate(
        for subject: CertificateSubject = CertificateSubject()
    ) throws(CertificateError) -> CertificateAndKey {
        let key = try PrivateKey.generate()
        let certificate = try X509Certificate.signed(for: subject, role: .server, key: key, by: nil)
        return CertificateAndKey(certificatePEM: try certificate.pem(), keyPEM: Secret(try key.pem()))
    }
}
