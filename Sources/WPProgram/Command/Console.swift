// SPDX-License-Identifier: MIT

package import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The standard streams.
package enum Console {
    /// Whether the standard output is a terminal.
    package static var isTerminal: Bool { Terminal.standardOutput.isTerminal }

    /// The width in columns to which standard output is wrapped: at least 40; 80 if it is not a terminal.
    package static var outputWidth: Int { textWidth(of: .standardOutput) }

    /// The width in columns to which standard error is wrapped.
    package static var errorWidth: Int { textWidth(of: .standardError) }

    /// Writes to the standard output.
    /// - Throws: if the text could not be written completely. Commands propagate the error, and the program exits with
    ///   1, or with 0 if the reader of a pipe has closed it.
    @Sendable package static func output(_ text: String) throws(OutputError) {
        try Terminal.standardOutput.write(text)
    }

    /// Writes to the standard error. Control sequences in text from peers and files are neutralized.
    package static func error(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            TerminalText.printable(String($0))
        }
        Terminal.standardError.writeIfPossible(lines.joined(separator: "\n"))
    }

    /// Lines longer than 120 columns are hard to read.
    private static func textWidth(of terminal: Terminal) -> Int {
        textWidth(terminal.lineWidth(ProcessInfo.processInfo.environment))
    }

    /// The width of help texts for lines of this many columns; nil if unknown.
    static func textWidth(_ columns: Int?) -> Int { min(max(columns ?? 80, 40), 120) }
}
