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
    /// The number of the system's error.
    let number: Int32

    package init(number: Int32) {
        self.number = number
    }

    /// Whether the reader of a pipe has gone away, as in `| head`: it has what it wants.
    package var isReaderGone: Bool { number == EPIPE }

    /// What failed, and why.
    package var description: String {
        "the output cannot be written: \(String(cString: strerror(number))); what was written is not complete"
    }
}
