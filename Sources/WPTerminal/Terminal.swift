// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open stream that may be a terminal. Every text is written at once: nothing waits in a buffer.
public struct Terminal: Sendable {
    private let descriptor: Int32

    /// Creates a terminal from a descriptor, which stays its owner's.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The standard output.
    public static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    /// The standard error.
    public static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// Whether it is a terminal.
    public var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Its size now; nil for what is no terminal or does not know.
    public var size: TerminalSize? {
        var size = winsize()
        guard isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return TerminalSize(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// The cells of a line that a text is made for: what `COLUMNS` says, else what the terminal has; nil for neither.
    /// - Parameter environment: the variables of the process.
    public func lineWidth(_ environment: [String: String]) -> Int? {
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        return size?.columns
    }

    /// Whether it shows colours: a terminal, of a type that has them, whose user did not forbid them (no-color.org).
    /// - Parameter environment: the variables of the process.
    public func showsColours(_ environment: [String: String]) -> Bool {
        isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes a text, and waits until all of it is written.
    /// - Returns: false when it could not be: whoever read went away, or the disk is full.
    @discardableResult
    public func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                offset += count
            } else if count < 0, errno == EAGAIN {
                // Somebody who shares the stream made it non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&entry, 1, -1) >= 0 || errno == EINTR else { return false }
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes, count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes, count)
    #else
    Glibc.write(descriptor, bytes, count)
    #endif
}
