// SPDX-License-Identifier: MIT

public import WPCore
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

/// A TLS context that is reloaded when its certificate, key or authority file changes.
///
/// A new connection triggers a check of the files, at most once per second, off the server's thread. Invalid files,
/// such as a certificate without its new key, are ignored until they change again, and logged at most once per minute.
/// Open connections are not affected.
public final class RotatingTLSContext: TLSContextSource, DatedCertificate {
    private struct State {
        var context: TLSContext
        var stamps: [FileStamp?]
        var checkedAt: Duration
        var isChecking = false
        var log = RepeatGate(interval: RotatingTLSContext.logInterval)
    }

    /// The minimum interval between checks of the files.
    static let checkInterval = Duration.seconds(1)
    /// The minimum interval between log records about invalid files.
    static let logInterval = Duration.seconds(60)

    private let configuration: TLSServerConfiguration
    private let logger: Logger
    private let timeSource: any TimeSource
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "tls-files", qos: .utility)

    /// Reads the files. Blocks.
    /// - Parameters:
    ///   - configuration: the files and client requirements.
    ///   - logger: logs changes and invalid files.
    ///   - timeSource: the clock for the file checks.
    /// - Throws: as ``WPHTTP/TLSContext/server(_:)``.
    public init(
        _ configuration: TLSServerConfiguration,
        logger: Logger = .silent,
        timeSource: any TimeSource = .system
    ) throws(TLSError) {
        self.configuration = configuration
        self.logger = logger
        self.timeSource = timeSource
        // Before reading the files, so that the next check sees a change in between.
        let stamps = configuration.files.map { FileStamp(of: $0) }
        let context = try TLSContext.server(configuration)
        state = Mutex(State(context: context, stamps: stamps, checkedAt: timeSource.now.monotonic))
        warnAboutExpiry(context)
    }

    /// The context from the current files, or from the last valid ones.
    public func context() async -> TLSContext {
        let (context, isDue) = state.withLock { state in
            let isDue = !state.isChecking && now - state.checkedAt >= Self.checkInterval
            // Only one connection waits for a slow disk.
            if isDue { state.isChecking = true }
            return (state.context, isDue)
        }
        guard isDue else { return context }
        return await withCheckedContinuation { continuation in
            queue.async { @Sendable [self] in continuation.resume(returning: check()) }
        }
    }

    /// The expiry of the certificate in use.
    var certificateEnd: Int64? { state.withLock { $0.context }.certificateEnd }

    private var now: Duration { timeSource.now.monotonic }

    private func check() -> TLSContext {
        let stamps = configuration.files.map { FileStamp(of: $0) }
        let (context, hasChanged) = state.withLock { state in
            let hasChanged = state.stamps != stamps
            if !hasChanged {
                state.isChecking = false
                state.checkedAt = now
            }
            return (state.context, hasChanged)
        }
        return hasChanged ? reload(stamps) ?? context : context
    }

    private func reload(_ stamps: [FileStamp?]) -> TLSContext? {
        do throws(TLSError) {
            if let index = stamps.firstIndex(where: { $0?.isRegularFile == false }) {
                let path = configuration.files[index]
                throw TLSError(fault: .other, message: "\(path) is not a regular file", file: path)
            }
            let context = try TLSContext.server(configuration)
            finishCheck(stamps) { $0.context = context }
            logger.info("The TLS certificate was reloaded", validity(context))
            warnAboutExpiry(context)
            return context
        } catch {
            let moment = now
            let isLogged = finishCheck(stamps) { $0.log.admit(at: moment) != nil }
            if isLogged {
                logger.error(
                    "The TLS files have changed and cannot be used; the previous certificate stays in use",
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

    /// An expired certificate is still used: some clients ignore the expiry.
    private func warnAboutExpiry(_ context: TLSContext) {
        guard let end = context.certificateEnd, Double(end) < timeSource.now.secondsSince1970 else { return }
        logger.warn("The TLS certificate has expired; clients that verify it will not connect", validity(context))
    }

    private func finishCheck<Result: Sendable>(
        _ stamps: [FileStamp?],
        _ change: @Sendable (inout State) -> Result
    ) -> Result {
        state.withLock { state in
            state.stamps = stamps
            state.isChecking = false
            state.checkedAt = now
            return change(&state)
        }
    }
}
