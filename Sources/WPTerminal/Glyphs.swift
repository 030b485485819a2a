// SPDX-License-Identifier: MIT

/// The characters of bars and ellipses.
package struct Glyphs: Sendable, Hashable {
    /// The mark at the end of truncated text; one cell wide.
    package var cut: String
    /// The full, half-full and empty cell of a bar.
    var bar: (full: String, half: String, empty: String) {
        self == .unicode ? ("█", "▌", "░") : ("#", "#", "-")
    }

    /// Blocks and an ellipsis.
    package static let unicode = Glyphs(cut: "…")
    /// For terminals without Unicode, and those that may draw blocks two cells wide.
    package static let ascii = Glyphs(cut: "~")

    /// The glyphs for a locale: ``unicode`` for UTF-8, except for Chinese, Japanese and Korean, where the width of
    /// blocks and the ellipsis is ambiguous (East_Asian_Width).
    /// - Parameter environment: the environment variables; reads `LC_ALL`, `LC_CTYPE` and `LANG`.
    package static func supported(by environment: [String: String]) -> Glyphs {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        let isUTF8 = name.contains("utf-8") || name.contains("utf8")
        return isUTF8 && !["zh", "ja", "ko"].contains(name.prefix(2)) ? .unicode : .ascii
    }

    /// A bar.
    /// - Parameters:
    ///   - fraction: the full part, clamped to 0 to 1.
    ///   - width: the width in cells.
    /// - Returns: its full part, and the rest.
    package func bar(_ fraction: Double, width: Int) -> (full: String, rest: String) {
        let width = max(width, 0)
        let halves = fraction.isFinite ? Int((min(max(fraction, 0), 1) * Double(2 * width)).rounded()) : 0
        let full = String(repeating: bar.full, count: halves / 2) + (halves % 2 == 1 ? bar.half : "")
        return (full, String(repeating: bar.empty, count: width - halves / 2 - halves % 2))
    }
}
