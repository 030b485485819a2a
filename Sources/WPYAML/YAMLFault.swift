// SPDX-License-Identifier: MIT

/// Why a text was refused, and where.
///
/// The sentence quotes keys, anchors and tags of the text, but never a value, which may be a password.
public struct YAMLFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a fault.
    package enum Code: Sendable, Hashable, CaseIterable {
        /// Not UTF-8, or a character that YAML does not allow unescaped.
        case character
        /// The text breaks a rule of YAML.
        case syntax
        /// A line is indented by too little, by too much, or with a tab.
        case indentation
        /// A key appears twice in one map.
        case duplicateKey
        /// An alias names an anchor that was not seen before.
        case unknownAlias
        /// Valid YAML that this reader refuses to interpret.
        case unsupported
        /// The text is larger, deeper, or has more nodes than allowed.
        case limit
    }

    /// The kind.
    package let code: Code
    /// Where it was noticed.
    public let position: YAMLPosition
    /// What is wrong: a sentence without a full stop.
    public let message: String

    init(_ code: Code, at position: YAMLPosition, _ message: String) {
        self.code = code
        self.position = position
        self.message = message
    }

    /// `line:column: message`.
    public var description: String { "\(position): \(message)" }
}
