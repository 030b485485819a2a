// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The output of a command could not be written.
package struct OutputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    let number: Int32

    package init(number: Int32) {
        self.number = number
    }

    /// Whether the reader closed the pipe, for example `head`.
    package var isReaderGone: Bool { number == EPIPE }

    /// What failed, and why.
    package var description: String {
        "the output cannot be written: \(String(cString: strerror(number))); what was written is not complete"
    }
}
