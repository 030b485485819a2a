// SPDX-License-Identifier: MIT

/// Why bytes could not be compressed or decompressed.
package struct GzipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// The bytes are not a valid stream, fail their checksum, or continue after the end of the stream.
        case corrupt
        /// The bytes end before the stream does.
        case truncated
        /// The decompressed bytes exceed the limit.
        case tooLarge
        /// zlib cannot allocate memory, or was called in the wrong state.
        case unavailable
    }

    /// The kind of failure.
    package var code: Code
    /// What failed, as a clause without a full stop.
    package var message: String

    /// Creates an error.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }
}
