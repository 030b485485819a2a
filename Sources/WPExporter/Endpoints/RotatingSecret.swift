// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
package import WPConfig
package import WPLogging
package import WPModel
import WPService

/// A secret that may change in its file while the program runs.
///
/// It is at most five seconds old when it is compared: a secret that was revoked is not accepted however long nobody has
/// asked. A caller after that time waits until the file has been read, for at most a second. A file that can't be
/// read leaves the secret as it was.
package final class RotatingSecret: Sendable {
    static let refreshInterval: Duration = .seconds(5)
    /// The longest wait for a file, in seconds.
    static let patience = 1.0

    private struct State {
        var secret: Secret
        var readAt: Duration
        var isReading = false
        var hasFailed = false
        var waiting: [Waiting] = []
    }

    private let read: @Sendable () throws -> Secret
    private let isFile: Bool
    private let check: @Sendable (Secret) throws -> Void
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the secret for the first time.
    /// - Parameter check: what a new secret must pass to take the place of the one before it; may block.
    /// - Throws: `SettingsFileError` when its file can't be read.
    package convenience init(
        _ source: SecretSource,
        timeSource: any TimeSource,
        logger: Logger,
        check: @escaping @Sendable (Secret) throws -> Void = { _ in }
    ) throws {
        let isFile = if case .file = source { true } else { false }
        try self.init(isFile: isFile, timeSource: timeSource, logger: logger, check: check) { try source.secret() }
    }

    /// - Parameter read: reads the secret; may block.
    init(
        isFile: Bool,
        timeSource: any TimeSource,
        logger: Logger,
        check: @escaping @Sendable (Secret) throws -> Void = { _ in },
        read: @escaping @Sendable () throws -> Secret
    ) throws {
        self.read = read
        self.isFile = isFile
        self.check = check
        self.timeSource = timeSource
        self.logger = logger
        state = Mutex(State(secret: try read(), readAt: timeSource.now.monotonic))
    }

    /// The secret, read again when the last read is too old.
    package nonisolated(nonsending) func current() async -> Secret {
        guard isFile else { return state.withLock { $0.secret } }
        let now = timeSource.now.monotonic
        let isFresh: @Sendable (borrowing State) -> Bool = { state in
            now - state.readAt < Self.refreshInterval && !state.isReading
        }
        if let fresh = state.withLock({ isFresh($0) ? $0.secret : nil }) { return fresh }
        await withCheckedContinuation { continuation in
            let waiting = Waiting(continuation)
            let starts = state.withLock { state -> Bool? in
                // Somebody else may have read it since.
                guard !isFresh(state) else { return nil }
                state.waiting.append(waiting)
                defer { state.isReading = true }
                return !state.isReading
            }
            guard let starts else { return waiting.end() }
            if starts { Blocking.start { [self] in refresh() } }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { waiting.end() }
        }
        return state.withLock { $0.secret }
    }

    /// Reads the file again.
    func refresh() {
        do {
            let secret = try read()
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
            if isNew {
                logger.warn("A secret's file can't be used; the secret stays as it was", ["error": .describing(error)])
            }
        }
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isReading = false
            state.readAt = timeSource.now.monotonic
            return state.waiting
        }
        for waiting in waiting { waiting.end() }
    }

    /// Somebody who waits for the file; resumed once, by whatever comes first.
    private final class Waiting: Sendable {
        private let continuation: Mutex<CheckedContinuation<Void, Never>?>

        init(_ continuation: CheckedContinuation<Void, Never>) {
            self.continuation = Mutex(continuation)
        }

        func end() {
            let continuation = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            continuation?.resume()
        }
    }
}
