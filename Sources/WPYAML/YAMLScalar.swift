// SPDX-License-Identifier: MIT

/// A scalar as it was written: its text, and how it was quoted.
public struct YAMLScalar: Sendable, Hashable {
    /// The five ways to write a scalar (YAML 1.2.2, chapters 7.3 and 8.1).
    package enum Style: Sendable, Hashable, CaseIterable {
        /// Without quotes.
        case plain
        /// In `'`.
        case singleQuoted
        /// In `"`, with escapes.
        case doubleQuoted
        /// A block after `|`.
        case literal
        /// A block after `>`.
        case folded
    }

    /// The text after unescaping, folding and chomping.
    public internal(set) var text: String
    /// How it was written.
    package internal(set) var style: Style
    /// A tag of the core schema that was given explicitly, or nil.
    package internal(set) var tag: YAMLTag?
    /// A tag of ``YAMLLimits/localTags`` that was given, such as `!env`; the scalar is a string then. Nil for none.
    package internal(set) var localTag: String?

    package init(_ text: String, style: Style = .plain, tag: YAMLTag? = nil) {
        self.text = text
        self.style = style
        self.tag = tag
    }
}

/// The tags that the reader supports. A document with another tag is refused.
package enum YAMLTag: String, Sendable, Hashable, CaseIterable {
    /// `!!str`, and the non-specific `!`, which says the same of a scalar.
    case string = "tag:yaml.org,2002:str"
    /// `!!int`.
    case integer = "tag:yaml.org,2002:int"
    /// `!!float`.
    case float = "tag:yaml.org,2002:float"
    /// `!!bool`.
    case boolean = "tag:yaml.org,2002:bool"
    /// `!!null`.
    case null = "tag:yaml.org,2002:null"
    /// `!!seq`.
    case sequence = "tag:yaml.org,2002:seq"
    /// `!!map`.
    case mapping = "tag:yaml.org,2002:map"
}
