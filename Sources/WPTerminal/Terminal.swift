// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open stream that may be a terminal. Writes are unbuffered.
package struct Terminal: Sendable {
    private let descriptor: Int32

    /// Creates a terminal from a descriptor that it does not own.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The standard output.
    package static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    /// The standard error.
    package static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// Whether it is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Its current size; nil if it is not a terminal. 80 × 24 for a terminal that reports no size, such
    /// as a serial line.
    package var size: TerminalSize? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(
            columns: size.ws_col > 0 ? Int(size.ws_col) : 80,
            rows: size.ws_row > 0 ? Int(size.ws_row) : 24
        )
    }

    /// The line width in cells: `COLUMNS`, or the terminal's width; nil if there is neither.
    /// - Parameter environment: the environment variables.
    package func lineWidth(_ environment: [String: String]) -> Int? {
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        return size?.columns
    }

    /// Whether it shows colours: a colour terminal whose user did not set `NO_COLOR` (no-color.org).
    /// - Parameter environment: the environment variables.
    package func showsColours(_ environment: [String: String]) -> Bool {
        isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes text, and blocks until all of it is written.
    /// - Throws: ``OutputError`` if not all of it was written.
    package func write(_ text: String) throws(OutputError) {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                offset += count
            } else if count < 0, errno == EAGAIN {
                // Another process that shares the stream has made it non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&entry, 1, -1) >= 0 || errno == EINTR else { throw OutputError(number: errno) }
            } else if count == 0 || errno != EINTR {
                throw OutputError(number: count == 0 ? EIO : errno)
            }
        }
    }

    /// Writes decoration, or a message that has no other channel; ignores failures.
    package func writeIfPossible(_ text: String) {
        do throws(OutputError) {
            try write(text)
        } catch {
            return
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// The size of a terminal in cells.
package struct TerminalSize: Sendable, Hashable {
    /// The columns, at least 1.
    package var columns: Int
    /// The rows, at least 1.
    package var rows: Int

    /// Creates a size; values below 1 become 1.
    package init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }
}
