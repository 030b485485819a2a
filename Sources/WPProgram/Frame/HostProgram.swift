// SPDX-License-Identifier: MIT

/// The identity of a program that embeds another: shown as `<name>_build_info`, and in the `User-Agent` of requests
/// before the embedded program's own.
public struct HostProgram: Sendable, Hashable {
    /// The name: a letter, then letters, digits, dashes and underscores.
    public let name: String
    /// The release, such as `1.2.0`.
    public let version: String
    /// The source revision; empty if unknown.
    public let revision: String

    /// Identifies a program.
    public init(name: String, version: String, revision: String = "") {
        let isValid = { (text: String, others: String) in
            !text.isEmpty
                && text.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & ~0x20) || others.utf8.contains(byte)
                }
        }
        precondition(isValid(name, "-_") && name.first?.isLetter == true, "a name such as shop: \(name)")
        precondition(isValid(version, "-_.+~"), "a version such as 1.2.0: \(version)")
        (self.name, self.version, self.revision) = (name, version, revision)
    }

    /// The prefix of its metric names.
    var metricPrefix: String { String(name.map { $0 == "-" ? "_" : $0 }) }
}
