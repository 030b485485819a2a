// SPDX-License-Identifier: MIT

import WPCore

/// An action that requires a right of the user.
struct NUTAttempt: Sendable, Equatable {
    enum Action: Sendable, Hashable {
        /// Register the client's machine as powered by a UPS.
        case login
        /// Decide about the shutdown of the other machines.
        case primary
        /// The same as ``primary``, with the legacy word in the reply.
        case master
        /// Start a forced shutdown.
        case forcedShutdown
        /// Change a variable, send a command to a UPS or track it; none is supported.
        case write(NUTError)
    }

    var action: Action
    /// The UPS as spelled by the client.
    var ups: String
    var username: String
    var password: Secret
}
