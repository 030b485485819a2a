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

    /// Writes to the standard output. If its reader is gone, the text is lost without an error.
    static func output(_ text: String) {
        Terminal.standardOutput.write(text)
    }

    /// Writes to the standard error.
    static func error(_ text: String) {
        Terminal.standardError.write(text)
    }

    /// Longer lines than 120 are tiring to read.
    private static func textWidth(of terminal: Terminal) -> Int {
        min(max(terminal.lineWidth(ProcessInfo.processInfo.environment) ?? 80, 40), 120)
    }
}
