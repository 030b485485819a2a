// SPDX-License-Identifier: MIT

import COpenSSL
import WPCore
import WPModel

/// A private key in OpenSSL.
final class PrivateKey {
    /// The `EVP_PKEY`.
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Creates a P-256 key, in well under a millisecond.
    static func generate() throws(CertificateError) -> PrivateKey {
        ERR_clear_error()
        let context = EVP_PKEY_CTX_new_id(NID_X9_62_id_ecPublicKey, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &pointer) == 1, let pointer
        else { throw .lastOpenSSL("make a key") }
        return PrivateKey(owning: pointer)
    }

    init(pem: Secret) throws(CertificateError) {
        let buffer = try MemoryBuffer(pem.reveal())
        guard let pointer = PEM_read_bio_PrivateKey(buffer.pointer, nil, nil, nil) else {
            throw .lastOpenSSL("read a key")
        }
        self.pointer = pointer
    }

    func pem() throws(CertificateError) -> String {
        let buffer = try MemoryBuffer()
        guard PEM_write_bio_PrivateKey(buffer.pointer, pointer, nil, nil, 0, nil, nil) == 1 else {
            throw .lastOpenSSL("write a key")
        }
        return buffer.text
    }
}
