// SPDX-License-Identifier: MIT

/// The sequences (ECMA-48 and xterm's) by which a program draws on a whole terminal and gives it back as it was.
package enum Screen {
    /// Switches to the alternate screen, hides the cursor, and keeps lines from wrapping.
    package static let open = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"

    /// Gives back what ``open`` took. It does no harm where nothing was taken.
    package static let close = "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    /// Restarts the line of the cursor, for a line that is overwritten repeatedly.
    package static let restartLine = "\r\u{1b}[K"

    /// A whole picture, to be written at once. Nothing is cleared before it is drawn over, and terminals that can show it
    /// in one go, so that it does not flicker.
    /// - Parameters:
    ///   - lines: from the top; what does not fit is left out or cut.
    ///   - size: the terminal's size.
    ///   - withStyles: whether it shows colours.
    ///   - mark: one cell wide, at the end of a line that was cut.
    package static func frame(_ lines: [StyledText], size: TerminalSize, withStyles: Bool, mark: String) -> String {
        let shown = lines.prefix(size.rows).map { line in
            let text = line.cut(to: size.columns, mark: mark).rendered(withStyles: withStyles)
            // To erase behind a full line would erase its last cell, where the cursor stays.
            return line.width < size.columns ? text + "\u{1b}[K" : text
        }
        let rest = lines.count < size.rows ? "\r\n\u{1b}[J" : ""
        return "\u{1b}[?2026h\u{1b}[H" + shown.joined(separator: "\r\n") + rest + "\u{1b}[?2026l"
    }
}
