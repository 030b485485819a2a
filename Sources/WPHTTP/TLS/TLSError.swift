// SPDX-License-Identifier: MIT

/// Why a TLS context can't be made or a TLS session can't continue.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    package var fault: HTTPClientError.TLSFault
    /// What is wrong and what to do about it: a clause without a capital and full stop, to stand in the sentence of a
    /// caller who knows host and port. It names the file when it is about one.
    public var message: String
    /// The path of the file that it is about; nil when it is about none.
    package var file: String?

    /// Creates an error.
    package init(fault: HTTPClientError.TLSFault, message: String, file: String? = nil) {
        self.fault = fault
        self.message = message
        self.file = file
    }

    /// The message.
    public var description: String { message }
}
