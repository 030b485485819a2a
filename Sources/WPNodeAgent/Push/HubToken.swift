// SPDX-License-Identifier: MIT

import Synchronization
import WPConfig
import WPModel
import WPService

/// Where the token of a hub comes from, which other settings may change.
final class HubToken: Sendable {
    private let source: Mutex<SecretSource?>

    init(_ source: SecretSource?) {
        self.source = Mutex(source)
    }

    /// From the next push on.
    func replace(with source: SecretSource?) {
        self.source.withLock { $0 = source }
    }

    /// The token, read again if it is in a file; nil for a hub that admits everybody.
    func current() async throws -> Secret? {
        guard let source = source.withLock({ $0 }) else { return nil }
        return try await Blocking.run { () throws -> Secret in try source.secret() }
    }
}
