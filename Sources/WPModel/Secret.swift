// SPDX-License-Identifier: MIT

import WPText

/// Text that must not be seen: a password or a token.
///
/// Printing, interpolating, dumping or reflecting it gives `<REDACTED>`; only ``reveal()`` gives the text, so that a
/// search for that word finds every place that uses it.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    /// Wraps a text.
    public init(_ text: String) {
        self.text = text
    }

    /// The text itself. Call it only where it goes to the party that it is meant for.
    public func reveal() -> String { text }

    /// A text from a peer with `<REDACTED>` wherever it repeats this secret, as it is or escaped as in JSON, URLs or HTML.
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
