// SPDX-License-Identifier: MIT

import COpenSSL

/// A random key of this process, and digests under it (HMAC-SHA-256, RFC 2104) that stand for secrets in memory: without
/// the key nothing can be learned from them, not even by trying passwords.
struct DigestKey: Sendable {
    private let bytes: [UInt8]

    init() {
        var bytes = [UInt8](repeating: 0, count: 32)
        // It fails only when the system has no randomness at all; a digest under a known key must not stand for anything.
        precondition(RAND_bytes(&bytes, Int32(bytes.count)) == 1, "OpenSSL has no randomness")
        self.bytes = bytes
    }

    /// The digest of some texts, in which their borders count.
    func digest(_ texts: String...) -> [UInt8] {
        var message: [UInt8] = []
        for text in texts {
            withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { message.append(contentsOf: $0) }
            message.append(contentsOf: text.utf8)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = HMAC(EVP_sha256(), bytes, Int32(bytes.count), message, message.count, &digest, &length)
        precondition(result != nil && length == 32, "OpenSSL can't compute SHA-256")
        return digest
    }

    /// Whether two digests are the same, in a time that does not depend on where they differ.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
