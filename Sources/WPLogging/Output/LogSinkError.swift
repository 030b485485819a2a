// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The failure of a log output.
public struct LogSinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The failed operation.
    public enum Code: Sendable, Hashable {
        /// Opening the file.
        case open
        /// Writing a line.
        case write
        /// Rotating the file.
        case rotate
        /// Compressing a backup.
        case compress
        /// Deleting an old or excess backup.
        case prune
    }

    /// The failed operation.
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

    /// What failed, on what, why, and what to do.
    public var description: String {
        switch code {
        case .open:
            "cannot open \(output) to append log records: \(reason); check that the path is right and may be written"
        case .write:
            "cannot write log records to \(output): \(reason)"
        case .rotate:
            "cannot rotate the log file \(output): \(reason); it keeps growing until its folder is writable"
        case .compress:
            "cannot compress the log backup \(output): \(reason); it stays uncompressed"
        case .prune:
            "cannot delete the log backup \(output): \(reason); delete it by hand"
        }
    }
}

/// Forwards a sink's errors. Buffers the first few until a receiver is set.
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
