// SPDX-License-Identifier: MIT

/// Comparison of secrets.
public enum ConstantTime {
    /// Whether two texts have the same bytes. How long it takes depends on their lengths alone, never on how much of
    /// what is presented is right.
    /// - Parameters:
    ///   - presented: what a peer sent.
    ///   - secret: what it should have sent.
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
