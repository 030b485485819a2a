// SPDX-License-Identifier: MIT

import WPModel

/// What a client wants that its user must be entitled to.
struct NUTAttempt: Sendable, Equatable {
    enum Action: Sendable, Hashable {
        /// Be counted as a machine that a UPS feeds.
        case login
        /// Decide about the shutdown of the other machines.
        case primary
        /// The same, with the older word in the reply.
        case master
        /// Begin a forced shutdown.
        case forcedShutdown
        /// Change a variable, command a UPS or follow such changes; none of it is possible here.
        case write(NUTError)
    }

    var action: Action
    /// The UPS as the client wrote it.
    var ups: String
    var username: String
    var password: Secret
}
