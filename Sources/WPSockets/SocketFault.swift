// SPDX-License-Identifier: MIT

/// Why a socket operation failed.
package struct SocketFault: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A name has no address, or the lookup failed.
        case resolve
        /// The connection failed.
        case connect
        /// The deadline passed.
        case timeout
        /// The caller cancelled the call.
        case cancelled
    }

    package var kind: Kind
    /// What happened and what to do, as a clause without a full stop.
    package var reason: String
    /// The system's message, or an empty string.
    package var detail: String

    package init(_ kind: Kind, _ reason: String, detail: String = "") {
        self.kind = kind
        self.reason = reason
        self.detail = detail
    }
}
