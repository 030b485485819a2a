// SPDX-License-Identifier: MIT

/// The characters that drawings are made of.
package struct Glyphs: Sendable, Hashable {
    /// Stands at the end of a text that was cut; one cell wide.
    package var cut: String
    /// The full, the half full and the empty cell of a bar.
    var bar: (full: String, half: String, empty: String) {
        self == .unicode ? ("█", "▌", "░") : ("#", "#", "-")
    }

    /// Blocks and an ellipsis.
    package static let unicode = Glyphs(cut: "…")
    /// For terminals that know no others, and for those that may give two cells to a block.
    package static let ascii = Glyphs(cut: "~")

    /// What the locale allows: ``unicode`` where text is UTF-8, but for Chinese, Japanese and Korean, in which terminals
    /// differ on the width of blocks and ellipsis (East_Asian_Width is ambiguous).
    /// - Parameter environment: the variables of the process, of which `LC_ALL`, `LC_CTYPE` and `LANG` count.
    package static func suited(to environment: [String: String]) -> Glyphs {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        let isUTF8 = name.contains("utf-8") || name.contains("utf8")
        return isUTF8 && !["zh", "ja", "ko"].contains(name.prefix(2)) ? .unicode : .ascii
    }

    /// A bar of a number of cells.
    /// - Parameters:
    ///   - fraction: how much of it is full, from 0 to 1; what is beyond counts as the nearest of these.
    ///   - width: its cells.
    /// - Returns: its full part, and the rest.
    package func bar(_ fraction: Double, width: Int) -> (full: String, rest: String) {
        let width = max(width, 0)
        let halves = fraction.isFinite ? Int((min(max(fraction, 0), 1) * Double(2 * width)).rounded()) : 0
        let full = String(repeating: bar.full, count: halves / 2) + (halves % 2 == 1 ? bar.half : "")
        return (full, String(repeating: bar.empty, count: width - halves / 2 - halves % 2))
    }
}
