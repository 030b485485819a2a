// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
package import WPConfig
package import WPLogging
package import WPModel

/// A secret that may change in its file while the program runs.
///
/// Asking for it never touches the disk: the file is read again aside, at most every few seconds, and only when
/// somebody asks. A file that can't be read leaves the secret as it was.
final class RotatingSecret: Sendable {
    static let refreshInterval: Duration = .seconds(5)

    private struct State {
        var secret: Secret
        var readAt: Duration
        var hasFailed = false
    }

    private let source: SecretSource
    private let check: @Sendable (Secret) throws -> Void
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the secret for the first time.
    /// - Parameter check: what a new secret must pass to take the place of the one before it; may block.
    /// - Throws: `SettingsFileError` when its file can't be read.
    init(
        _ source: SecretSource,
        timeSource: any TimeSource,
        logger: Logger,
        check: @escaping @Sendable (Secret) throws -> Void = { _ in }
    ) throws(SettingsFileError) {
        self.source = source
        self.check = check
        self.timeSource = timeSource
        self.logger = logger
        state = Mutex(State(secret: try source.secret(), readAt: timeSource.now.monotonic))
    }

    /// The secret as it was read last.
    var current: Secret {
        let now = timeSource.now.monotonic
        let (secret, isDue) = state.withLock { state in
            let isDue = now - state.readAt >= Self.refreshInterval
            if isDue { state.readAt = now }
            return (state.secret, isDue)
        }
        if isDue, case .file = source {
            DispatchQueue.global(qos: .utility).async { [self] in refresh() }
        }
        return secret
    }

    /// Reads the file again.
    func refresh() {
        do {
            let secret = try source.secret()
            if state.withLock({ $0.secret != secret }) { try check(secret) }
            state.withLock { state in
                state.secret = secret
                state.hasFailed = false
            }
        } catch {
            let isNew = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            guard isNew else { return }
            logger.warn("A secret's file can't be used; the secret stays as it was", ["error": .describing(error)])
        }
    }
}
