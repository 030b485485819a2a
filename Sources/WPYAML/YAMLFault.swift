// SPDX-License-Identifier: MIT

/// Why a document was rejected, and where.
///
/// The message quotes keys, anchors and tags, but never a value, which may be a password.
public struct YAMLFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a fault.
    package enum Code: Sendable, Hashable, CaseIterable {
        /// Not UTF-8, or a character that YAML does not allow unescaped.
        case character
        /// The text breaks a rule of YAML.
        case syntax
        /// A line is indented too little, too much, or with a tab.
        case indentation
        /// A key appears twice in a map.
        case duplicateKey
        /// An alias names an anchor that is not defined before it.
        case unknownAlias
        /// Valid YAML outside the supported subset.
        case unsupported
        /// The document exceeds the allowed size, depth or number of nodes.
        case limit
    }

    /// The kind.
    package let code: Code
    /// Where the parser found it.
    public let position: YAMLPosition
    /// What is wrong, without a full stop.
    public let message: String

    init(_ code: Code, at position: YAMLPosition, _ message: String) {
        self.code = code
        self.position = position
        self.message = message
    }

    /// `line:column: message`.
    public var description: String { "\(position): \(message)" }
}
