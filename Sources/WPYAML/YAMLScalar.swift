// SPDX-License-Identifier: MIT

/// A scalar as written: its text and its quoting style.
public struct YAMLScalar: Sendable, Hashable {
    /// The five ways to write a scalar (YAML 1.2.2, chapters 7.3 and 8.1).
    package enum Style: Sendable, Hashable, CaseIterable {
        /// Without quotes.
        case plain
        /// In single quotes.
        case singleQuoted
        /// In double quotes, with escapes.
        case doubleQuoted
        /// A block scalar introduced by `|`.
        case literal
        /// A block scalar introduced by `>`.
        case folded
    }

    /// The text after unescaping, folding and chomping.
    public internal(set) var text: String
    /// How it was written.
    package internal(set) var style: Style
    /// The explicit tag of the core schema, or nil.
    package internal(set) var tag: YAMLTag?
    /// The explicit tag of ``YAMLLimits/localTags``, such as `!env`, or nil. A scalar with such a tag is a string.
    package internal(set) var localTag: String?

    package init(_ text: String, style: Style = .plain, tag: YAMLTag? = nil) {
        self.text = text
        self.style = style
        self.tag = tag
    }
}

/// The supported tags. A document with another tag is rejected.
package enum YAMLTag: String, Sendable, Hashable, CaseIterable {
    /// `!!str`, and the non-specific `!`, which means the same for a scalar.
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
