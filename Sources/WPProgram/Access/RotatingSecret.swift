// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
package import WPCore
package import WPLogging
import WPService
package import WPSettings

/// A secret whose file may change while the program runs.
///
/// It is reread before use if the last read is more than five seconds old, so that a revoked secret is not accepted
/// after an idle period. The caller waits at most one second; an unreadable file leaves the secret unchanged.
package final class RotatingSecret: Sendable {
    static let refreshInterval: Duration = .seconds(5)
    /// The maximum wait for a file, in seconds.
    static let maximumWait = 1.0

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
    private let maximumWait: Double
    private let state: Mutex<State>

    /// Reads the secret for the first time.
    /// - Parameter check: validates a new secret before it replaces the old one; may block.
    /// - Throws: `SettingsFileError` if its file cannot be read.
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
        maximumWait: Double = RotatingSecret.maximumWait,
        check: @escaping @Sendable (Secret) throws -> Void = { _ in },
        read: @escaping @Sendable () throws -> Secret
    ) throws {
        self.read = read
        self.isFile = isFile
        self.check = check
        self.timeSource = timeSource
        self.logger = logger
        self.maximumWait = maximumWait
        state = Mutex(State(secret: try read(), readAt: timeSource.now.monotonic))
    }

    /// The secret, reread if the last read is too old.
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
                // Another task may have read it in the meantime.
                guard !isFresh(state) else { return nil }
                state.waiting.append(waiting)
                defer { state.isReading = true }
                return !state.isReading
            }
            guard let starts else { return waiting.end() }
            if starts { Blocking.start { [self] in refresh() } }
            DispatchQueue.global().asyncAfter(deadline: .now() + maximumWait) { waiting.end() }
        }
        return state.withLock { $0.secret }
    }

    /// Rereads the file.
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
                logger.warn(
                    "A secret's file cannot be used; the previous secret stays in effect",
                    ["error": .describing(error)]
                )
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

    /// A task that waits for the file; resumed once, by whichever event comes first.
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
