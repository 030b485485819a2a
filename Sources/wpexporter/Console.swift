// SPDX-License-Identifier: MIT

import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The standard streams.
enum Console {
    /// Whether the standard output is a terminal.
    static var isTerminal: Bool { Terminal.standardOutput.isTerminal }

    /// The cells of a line of the standard output that text is wrapped to: at least 40; 80 for what is no terminal.
    static var outputWidth: Int { textWidth(of: .standardOutput) }

    /// The cells of a line of the standard error that text is wrapped to.
    static var errorWidth: Int { textWidth(of: .standardError) }

    /// Writes to the standard output.
    /// - Throws: when not all of it could be written. A command lets it pass to `Program`, which exits with 1, or with 0 when
    ///   the reader of a pipe is gone.
    @Sendable static func output(_ text: String) throws(OutputError) {
        try Terminal.standardOutput.write(text)
    }

    /// Writes to the standard error. Texts of peers and files in it move no cursor.
    static func error(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            TerminalText.printable(String($0))
        }
        Terminal.standardError.writeIfPossible(lines.joined(separator: "\n"))
    }

    /// Longer lines than 120 are tiring to read.
    private static func textWidth(of terminal: Terminal) -> Int {
        min(max(terminal.lineWidth(ProcessInfo.processInfo.environment) ?? 80, 40), 120)
    }
}
