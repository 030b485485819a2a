// SPDX-License-Identifier: MIT

import WPSockets
import Dispatch
import Synchronization
public import WPHTTP
public import WPLogging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server's certificate, key and authorities that may change in their files while it serves.
///
/// A new connection has the files looked at, at most once a second and aside from the server's thread; that connection
/// is the first that sees a change. Files that can't be used, a certificate whose key has not been replaced yet for
/// example, leave everything as it was until they change again, and are logged at most once a minute. Connections that
/// are open keep what they began with.
public final class RotatingTLSContext: TLSContextSource, DatedCertificate {
    private struct State {
        var context: TLSContext
        var stamps: [FileStamp?]
        var checkedAt: MonotonicInstant
        var isChecking = false
        var log = RepeatGate(interval: RotatingTLSContext.logInterval)
    }

    /// The least time between two looks at the files.
    static let checkInterval = Duration.seconds(1)
    /// The least time between two records about files that can't be used.
    static let logInterval = Duration.seconds(60)

    private let configuration: TLSServerConfiguration
    private let logger: Logger
    private let now: @Sendable () -> MonotonicInstant
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "tls-files", qos: .utility)

    /// Reads the files for the first time. It blocks while it does.
    /// - Parameters:
    ///   - configuration: the files, and what clients are asked for.
    ///   - logger: hears of changes, and of files that can't be used.
    /// - Throws: as ``WPHTTP/TLSContext/server(_:)``.
    public convenience init(_ configuration: TLSServerConfiguration, logger: Logger = .silent) throws(TLSError) {
        try self.init(configuration, logger: logger) { SystemMonotonicClock().now }
    }

    init(
        _ configuration: TLSServerConfiguration,
        logger: Logger,
        now: @escaping @Sendable () -> MonotonicInstant
    ) throws(TLSError) {
        self.configuration = configuration
        self.logger = logger
        self.now = now
        // Before the files are read: a change in between is then seen at the next look.
        let stamps = configuration.files.map { FileStamp(of: $0) }
        let context = try TLSContext.server(configuration)
        state = Mutex(State(context: context, stamps: stamps, checkedAt: now()))
        warnOfEnd(context)
    }

    /// The context of the files as they are, or as they were when they could be used last.
    public func context() async -> TLSContext {
        let (context, isDue) = state.withLock { state in
            let isDue = !state.isChecking && now().since(state.checkedAt) >= Self.checkInterval
            // One connection waits for a slow disk; those that come meanwhile don't.
            if isDue { state.isChecking = true }
            return (state.context, isDue)
        }
        guard isDue else { return context }
        return await withCheckedContinuation { continuation in
            queue.async { @Sendable [self] in continuation.resume(returning: check()) }
        }
    }

    /// When the certificate in use ends.
    var certificateEnd: Int64? { state.withLock { $0.context }.certificateEnd }

    private func check() -> TLSContext {
        let stamps = configuration.files.map { FileStamp(of: $0) }
        let (context, hasChanged) = state.withLock { state in
            let hasChanged = state.stamps != stamps
            if !hasChanged {
                state.isChecking = false
                state.checkedAt = now()
            }
            return (state.context, hasChanged)
        }
        return hasChanged ? reload(stamps) ?? context : context
    }

    private func reload(_ stamps: [FileStamp?]) -> TLSContext? {
        do throws(TLSError) {
            if let index = stamps.firstIndex(where: { $0?.isRegularFile == false }) {
                let path = configuration.files[index]
                throw TLSError(fault: .other, message: "\(path) is no regular file", file: path)
            }
            let context = try TLSContext.server(configuration)
            finishCheck(stamps) { $0.context = context }
            logger.info("The TLS certificate was read again", validity(context))
            warnOfEnd(context)
            return context
        } catch {
            let moment = now().since(MonotonicInstant(nanoseconds: 0))
            let isLogged = finishCheck(stamps) { $0.log.admit(at: moment) != nil }
            if isLogged {
                logger.error(
                    "The TLS files have changed and can't be used; the certificate stays as it was",
                    ["error": .string(error.message)]
                )
            }
            return nil
        }
    }

    private func validity(_ context: TLSContext) -> LogFields {
        [
            "file": .string(configuration.identity.certificateFile),
            "valid_until": .string(context.certificateEnd.map { IMFFixdate.string(unixSeconds: $0) } ?? ""),
        ]
    }

    /// A certificate that has expired is served all the same: some clients don't look, and no server is worse.
    private func warnOfEnd(_ context: TLSContext) {
        guard let end = context.certificateEnd, end < Int64(time(nil)) else { return }
        logger.warn("The TLS certificate has expired; clients that verify it will not connect", validity(context))
    }

    private func finishCheck<Result: Sendable>(
        _ stamps: [FileStamp?],
        _ change: @Sendable (inout State) -> Result
    ) -> Result {
        state.withLock { state in
            state.stamps = stamps
            state.isChecking = false
            state.checkedAt = now()
            return change(&state)
        }
    }
}
