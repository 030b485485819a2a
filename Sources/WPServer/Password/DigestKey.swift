// SPDX-License-Identifier: MIT

import COpenSSL

/// A random key for this process. Its keyed digests (HMAC-SHA-256, RFC 2104) represent secrets in memory, and resist
/// offline guessing.
struct DigestKey: Sendable {
    private let bytes: [UInt8]

    init() {
        var bytes = [UInt8](repeating: 0, count: 32)
        // Fails only if the system cannot provide randomness; digests with a known key would be unsafe.
        precondition(RAND_bytes(&bytes, Int32(bytes.count)) == 1, "OpenSSL has no randomness")
        self.bytes = bytes
    }

    /// The digest of several strings, including their boundaries.
    func digest(_ texts: String...) -> [UInt8] {
        var message: [UInt8] = []
        for text in texts {
            withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { message.append(contentsOf: $0) }
            message.append(contentsOf: text.utf8)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = HMAC(EVP_sha256(), bytes, Int32(bytes.count), message, message.count, &digest, &length)
        precondition(result != nil && length == 32, "OpenSSL cannot compute SHA-256")
        return digest
    }

    /// Compares two digests in constant time.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
