// SPDX-License-Identifier: MIT

/// A text style, in the terminal's own palette.
package struct TextStyle: Sendable, Hashable {
    /// A colour of the terminal's palette; the raw value is its SGR parameter (ECMA-48).
    package enum Colour: Int, Sendable, Hashable {
        /// For errors.
        case red = 31
        /// For success.
        case green = 32
        /// For warnings.
        case yellow = 33
        /// For neutral emphasis.
        case cyan = 36
    }

    /// The colour; nil is the terminal's own.
    package var colour: Colour?
    /// Whether it is bold.
    package var isBold: Bool
    /// Whether it is fainter than other text.
    package var isDim: Bool

    /// Creates a style.
    package init(_ colour: Colour? = nil, isBold: Bool = false, isDim: Bool = false) {
        self.colour = colour
        self.isBold = isBold
        self.isDim = isDim
    }

    /// The terminal's default.
    package static let plain = TextStyle()
    /// Bold.
    package static let bold = TextStyle(isBold: true)
    /// Faint.
    package static let dim = TextStyle(isDim: true)

    /// The control sequence that enables the style; empty for ``plain``.
    var sequence: String {
        let codes = (isBold ? [1] : []) + (isDim ? [2] : []) + (colour.map { [$0.rawValue] } ?? [])
        return codes.isEmpty ? "" : "\u{1b}[" + codes.map(String.init).joined(separator: ";") + "m"
    }
}
