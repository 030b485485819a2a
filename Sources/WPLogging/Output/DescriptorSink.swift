// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes lines to an open descriptor, such as standard output.
///
/// Each line is one write(2), so that lines of several threads do not mix; lines longer than a pipe's atomic write (4
/// KiB on Linux) need several. If there is no reader, the line is lost: there is no signal and no retry. A stalled
/// reader delays one line by 100 ms; until it reads again, further lines are dropped immediately.
package final class DescriptorSink: LogSink {
    private let name: String
    private let writer: Mutex<LineWriter>

    /// Creates a sink.
    /// - Parameters:
    ///   - descriptor: an open descriptor. The caller closes it after the last use of the sink.
    ///   - name: its name in errors.
    package init(descriptor: Int32, name: String) {
        self.name = name
        writer = Mutex(LineWriter(descriptor: descriptor))
    }

    /// A sink that writes to standard output.
    package static func standardOutput() -> DescriptorSink {
        DescriptorSink(descriptor: STDOUT_FILENO, name: "standard output")
    }

    /// A sink that writes to standard error.
    package static func standardError() -> DescriptorSink {
        DescriptorSink(descriptor: STDERR_FILENO, name: "standard error")
    }

    /// Writes a line.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/write``.
    package func write(_ line: [UInt8]) throws(LogSinkError) {
        do {
            try writer.withLock { (writer) throws(LineWriter.Failure) in
                try writer.write(line, repairs: false)
            }
        } catch {
            throw LogSinkError(code: .write, output: name, errno: error.errno)
        }
    }
}
