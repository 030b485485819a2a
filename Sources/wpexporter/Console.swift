// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The standard streams. Every text is written at once: nothing waits in a buffer when the output is a pipe.
enum Console {
    /// Whether the standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The characters in a line of the standard output.
    static var outputWidth: Int { width(STDOUT_FILENO) }

    /// The characters in a line of the standard error.
    static var errorWidth: Int { width(STDERR_FILENO) }

    static func output(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    static func error(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// What a reader wants that went away is lost; there is nobody to tell.
    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                Darwin.write(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
                #elseif canImport(Musl)
                Musl.write(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
                #else
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
                #endif
            }
            if count > 0 {
                offset += count
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }

    /// The terminal's width within reason; 100 for what is no terminal.
    private static func width(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 100
        }
        return min(max(Int(size.ws_col), 40), 120)
    }
}
