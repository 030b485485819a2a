// SPDX-License-Identifier: MIT

/// Why something could not be done with sockets.
package struct SocketFault: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A name has no address, or its look-up failed.
        case resolve
        /// No connection came about.
        case connect
        /// The deadline passed.
        case timeout
        /// Nobody waits for the result any more.
        case cancelled
    }

    package var kind: Kind
    /// What happened and what to do, as a clause.
    package var reason: String
    /// What the system says, if it said something.
    package var detail: String

    package init(_ kind: Kind, _ reason: String, detail: String = "") {
        self.kind = kind
        self.reason = reason
        self.detail = detail
    }
}
