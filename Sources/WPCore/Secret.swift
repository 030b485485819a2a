// SPDX-License-Identifier: MIT

/// A secret string, such as a password or a token.
///
/// Printing, interpolating, dumping or reflecting it yields `<REDACTED>`. Only ``reveal()`` returns the text, so
/// searching for that name finds every use.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Wraps a string.
    public init(_ text: String) {
        self.text = text
    }

    /// The text. Call it only to pass the text to its intended recipient.
    public func reveal() -> String { text }

    /// A string from a peer with each occurrence of this secret replaced by `<REDACTED>`, whether plain or escaped as
    /// in JSON, URLs or HTML.
    package func redacted(in other: String) -> String { EchoedSecret(text).redacted(in: other) }

    /// Whether the text is empty.
    public var isEmpty: Bool { text.isEmpty }

    /// `<REDACTED>`.
    public var description: String { "<REDACTED>" }

    /// `<REDACTED>`.
    public var debugDescription: String { "<REDACTED>" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
