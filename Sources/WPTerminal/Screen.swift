// SPDX-License-Identifier: MIT

/// The control sequences (ECMA-48 and xterm) of a full-screen view.
package enum Screen {
    /// Switches to the alternate screen, hides the cursor, and disables line wrapping.
    package static let open = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"

    /// Reverts ``open``. Harmless if the screen is not open.
    package static let close = "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// Returns to the start of the line and clears it.
    package static let restartLine = "\r\u{1b}[K"

    /// A complete frame. To avoid flicker, it overwrites without clearing, and uses synchronized output where
    /// supported.
    /// - Parameters:
    ///   - lines: from the top; lines that do not fit are omitted or truncated.
    ///   - size: the terminal's size.
    ///   - withStyles: whether to use colours.
    ///   - mark: the mark at the end of a truncated line; one cell wide.
    package static func frame(_ lines: [StyledText], size: TerminalSize, withStyles: Bool, mark: String) -> String {
        let shown = lines.prefix(size.rows).map { line in
            let text = line.cut(to: size.columns, mark: mark).rendered(withStyles: withStyles)
            // Erasing after a full line would erase its last cell, where the cursor stays.
            return line.width < size.columns ? text + "\u{1b}[K" : text
        }
        let rest = lines.count < size.rows ? "\r\n\u{1b}[J" : ""
        return "\u{1b}[?2026h\u{1b}[H" + shown.joined(separator: "\r\n") + rest + "\u{1b}[?2026l"
    }
}
