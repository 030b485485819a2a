// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why a log output did not do what it should.
public struct LogSinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was tried.
    public enum Code: Sendable, Hashable {
        /// To open the file.
        case open
        /// To write a line.
        case write
        /// To rename the full file and begin another.
        case rotate
        /// To compress a backup.
        case compress
        /// To delete a backup that is too old or one too many.
        case prune
    }

    /// What was tried.
    public var code: Code
    /// The file's path, or the output's name.
    package var output: String
    /// Why it failed, such as `No space left on device`.
    package var reason: String

    /// Creates an error.
    package init(code: Code, output: String, reason: String) {
        self.code = code
        self.output = output
        self.reason = reason
    }

    init(code: Code, output: String, errno number: Int32) {
        self.init(code: code, output: output, reason: String(cString: strerror(number)))
    }

    /// One sentence: what was tried, on what, why it failed, and what to do.
    public var description: String {
        switch code {
        case .open:
            "can't open \(output) to append log records: \(reason); check that the path is right and may be written"
        case .write:
            "can't write log records to \(output): \(reason)"
        case .rotate:
            "can't rotate the log file \(output): \(reason); it keeps growing until its folder is writable"
        case .compress:
            "can't compress the log backup \(output): \(reason); it stays as it is"
        case .prune:
            "can't delete the log backup \(output): \(reason); delete it by hand"
        }
    }
}

/// Receives a sink's problems. The first few wait until there is a receiver.
final class ProblemReport: Sendable {
    private struct State {
        var report: (@Sendable (LogSinkError) -> Void)?
        var waiting: [LogSinkError] = []
    }

    private let state = Mutex(State())

    func set(_ report: @escaping @Sendable (LogSinkError) -> Void) {
        state.withLock { $0.report = report }
    }

    func report(_ problems: [LogSinkError]) {
        var due: [LogSinkError] = []
        let report = state.withLock { state in
            due = state.waiting + problems
            state.waiting = state.report == nil ? Array(due.prefix(16)) : []
            return state.report
        }
        for problem in due { report?(problem) }
    }
}
