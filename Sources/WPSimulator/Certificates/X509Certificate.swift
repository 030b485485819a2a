// SPDX-License-Identifier: MIT

import COpenSSL
import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A certificate in OpenSSL.
final class X509Certificate {
    /// The `X509`.
    let pointer: OpaquePointer

    /// The role of a certificate.
    enum Role {
        case server
        case authority
    }

    /// The issuer of a certificate.
    struct Issuer {
        let certificate: X509Certificate
        let key: PrivateKey
    }

    private init() throws(CertificateError) {
        ERR_clear_error()
        guard let pointer = X509_new() else { throw .lastOpenSSL("make a certificate") }
        self.pointer = pointer
    }

    deinit { X509_free(pointer) }

    init(pem: String) throws(CertificateError) {
        let buffer = try MemoryBuffer(pem)
        guard let pointer = PEM_read_bio_X509(buffer.pointer, nil, nil, nil) else {
            throw .lastOpenSSL("read a certificate")
        }
        self.pointer = pointer
    }

    func pem() throws(CertificateError) -> String {
        let buffer = try MemoryBuffer()
        guard PEM_write_bio_X509(buffer.pointer, pointer) == 1 else { throw .lastOpenSSL("write a certificate") }
        return buffer.text
    }

    /// Creates a P-256 key and a certificate for it, in PEM.
    /// - Parameter issuer: nil for a self-signed certificate.
    static func issued(
        for subject: CertificateSubject,
        role: Role,
        by issuer: Issuer? = nil
    ) throws(CertificateError) -> CertificateAndKey {
        let key = try PrivateKey.generate()
        let certificate = try signed(for: subject, role: role, key: key, by: issuer)
        return CertificateAndKey(certificatePEM: try certificate.pem(), keyPEM: Secret(try key.pem()))
    }

    /// Creates and signs a version 3 certificate (RFC 5280).
    /// - Parameter issuer: nil for a self-signed certificate.
    private static func signed(
        for subject: CertificateSubject,
        role: Role,
        key: PrivateKey,
        by issuer: Issuer?
    ) throws(CertificateError) -> X509Certificate {
        let certificate = try X509Certificate()
        let signer = issuer ?? Issuer(certificate: certificate, key: key)
        let serial = UInt64.random(in: 1...UInt64(Int64.max))
        guard X509_set_version(certificate.pointer, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.pointer), serial) == 1,
            ASN1_TIME_set(X509_getm_notBefore(certificate.pointer), try seconds(subject.notBefore)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(certificate.pointer), try seconds(subject.notAfter)) != nil,
            X509_set_pubkey(certificate.pointer, key.pointer) == 1
        else { throw .lastOpenSSL("fill in a certificate") }
        try certificate.setName(subject.commonName)
        let issuerName = X509_get_subject_name(signer.certificate.pointer)
        guard X509_set_issuer_name(certificate.pointer, issuerName) == 1 else {
            throw .lastOpenSSL("name a certificate's issuer")
        }
        for (identifier, value) in try extensions(for: subject, role: role, isSelfSigned: issuer == nil) {
            try certificate.add(identifier, value, signer: signer.certificate)
        }
        guard X509_sign(certificate.pointer, signer.key.pointer, EVP_sha256()) > 0 else {
            throw .lastOpenSSL("sign a certificate")
        }
        return certificate
    }

    private static func extensions(
        for subject: CertificateSubject,
        role: Role,
        isSelfSigned: Bool
    ) throws(CertificateError) -> [(Int32, String)] {
        var list: [(Int32, String)] = [(NID_subject_key_identifier, "hash")]
        if !isSelfSigned { list.append((NID_authority_key_identifier, "keyid:always")) }
        switch role {
        case .authority:
            list += [(NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign")]
        case .server:
            list += [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth"),
            ]
        }
        if !subject.names.isEmpty { list.append((NID_subject_alt_name, try subject.namesText())) }
        return list
    }

    private static func seconds(_ date: Date) throws(CertificateError) -> time_t {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard (0...253_402_300_799).contains(seconds), let time = time_t(exactly: seconds) else {
            throw .invalid("a date is outside the years 1970 to 9999")
        }
        return time
    }

    private func setName(_ commonName: String) throws(CertificateError) {
        guard (1...64).contains(commonName.unicodeScalars.count) else {
            throw .invalid("the common name has \(commonName.unicodeScalars.count) characters, not 1 to 64")
        }
        let bytes = Array(commonName.utf8)
        let added = X509_NAME_add_entry_by_NID(
            X509_get_subject_name(pointer),
            NID_commonName,
            Int32(MBSTRING_FLAG),
            bytes,
            Int32(bytes.count),
            -1,
            0
        )
        guard added == 1 else { throw .lastOpenSSL("name a certificate") }
    }

    private func add(_ identifier: Int32, _ value: String, signer: X509Certificate) throws(CertificateError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, signer.pointer, pointer, nil, nil, 0)
        guard let part = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
            throw .lastOpenSSL("add \(value) to a certificate")
        }
        defer { X509_EXTENSION_free(part) }
        guard X509_add_ext(pointer, part, -1) == 1 else { throw .lastOpenSSL("add \(value) to a certificate") }
    }
}
