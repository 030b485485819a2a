// SPDX-License-Identifier: MIT

/// Constant-time comparison of secrets.
public enum ConstantTime {
    /// Whether two strings have the same bytes. The time depends only on their lengths.
    /// - Parameters:
    ///   - presented: the peer's text.
    ///   - secret: the expected text.
    public static func equal(_ presented: String, _ secret: String) -> Bool {
        let presented = Array(presented.utf8)
        let secret = Array(secret.utf8)
        var difference = UInt(bitPattern: presented.count ^ secret.count)
        for index in presented.indices {
            let other = secret.isEmpty ? 0 : secret[index % secret.count]
            difference |= UInt(presented[index] ^ other)
        }
        return difference == 0
    }
}
