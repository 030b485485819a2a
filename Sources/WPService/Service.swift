// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPCore
public import WPLogging
import WPScheduler

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a program under a service manager until a stop is requested.
///
/// ```swift
/// let service = Service()
/// try await service.run {
///     let server = HTTPServer(configuration, handler: router)
///     try server.bind(to: SocketActivation.takeDescriptors())
///     service.ready()
///     try await server.run()
/// }
/// ```
///
/// SIGTERM and SIGINT cancel the task of the body, even during startup. The process ends immediately on a second signal
/// or when the grace period ends. Notifies the service manager of readiness, reloads and stops
/// (sd_notify(3)), and feeds its watchdog (`WatchdogSec=`).
///
/// A process has one service, created by `main`.
public final class Service: Sendable {
    /// A request made by a signal.
    public enum Request: Sendable, Hashable {
        /// SIGHUP: reload the settings.
        case reload
        /// SIGUSR1: reopen the log files.
        case reopenLogs
    }

    /// The grace period of a program that is still starting.
    static let startGracePeriod = Duration.seconds(1)
    /// Added to the grace period, so that components that exhaust it can still report that.
    static let extraGracePeriod = Duration.seconds(2)

    private struct State {
        var gracePeriod: Duration
        var logger: Logger
        var task: Task<Void, any Error>?
        var isReady = false
        var stopSignal: Int32?
    }

    private let state: Mutex<State>
    private let manager: ServiceManager
    private let exit: @Sendable (Int32) -> Void
    private let requests: AsyncStream<Request>
    private let requested: AsyncStream<Request>.Continuation
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let signals = Mutex<[Signals.Source]>([])

    /// Handles SIGTERM, SIGINT, SIGHUP and SIGUSR1 from now on. SIGHUP and SIGUSR1 are queued for ``serve(_:)``.
    /// - Parameters:
    ///   - gracePeriod: the time limit for the body to end. Two seconds later the process exits with status 1.
    ///   - logger: logs the request to stop, and a timeout.
    public convenience init(gracePeriod: Duration = .seconds(10), logger: Logger = .silent) {
        self.init(gracePeriod: gracePeriod, logger: logger, manager: ServiceManager()) { _exit($0) }
        let sources = Signals.handle([SIGTERM, SIGINT, SIGHUP, SIGUSR1]) { [weak self] in self?.received($0) }
        signals.withLock { $0 = sources }
    }

    init(
        gracePeriod: Duration,
        logger: Logger,
        manager: ServiceManager,
        exit: @escaping @Sendable (Int32) -> Void
    ) {
        state = Mutex(State(gracePeriod: gracePeriod, logger: logger))
        self.manager = manager
        self.exit = exit
        (requests, requested) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
    }

    /// Changes the grace period and the logger, for example after settings are loaded.
    public func configure(gracePeriod: Duration, logger: Logger) {
        state.withLock { state in
            state.gracePeriod = gracePeriod
            state.logger = logger
        }
    }

    /// Runs the body. The body must return soon after its task is cancelled.
    /// - Throws: the error of the body, except a `CancellationError` after a request to stop.
    public func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        let isStopped = state.withLock { state in
            state.task = task
            return state.stopSignal != nil
        }
        if isStopped { task.cancel() }
        defer {
            for task in tasks.withLock({ $0 }) { task.cancel() }
            state.withLock { $0.task = nil }
        }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where state.withLock({ $0.stopSignal != nil }) {
            return
        }
    }

    /// Notifies the service manager that the program is ready, and starts to feed its watchdog.
    public func ready() {
        state.withLock { $0.isReady = true }
        manager.send(.ready)
        guard let interval = manager.watchdogInterval else { return }
        let manager = manager
        keep(
            Task {
                // Sent from a task, so that a program with blocked tasks is restarted.
                await Ticker(interval: interval).run { manager.send(.alive) }
            }
        )
    }

    /// Handles SIGHUP and SIGUSR1 in order until the body ends, including earlier requests. Notifies the service
    /// manager of reloads. Call it once.
    public func serve(_ handle: @escaping @Sendable (Request) async -> Void) {
        let (requests, manager) = (requests, manager)
        keep(
            Task {
                for await request in requests {
                    if request == .reload { manager.send(.reloading) }
                    await handle(request)
                    if request == .reload { manager.send(.ready) }
                }
            }
        )
    }

    private func keep(_ task: Task<Void, Never>) {
        tasks.withLock { $0.append(task) }
    }

    /// Handles a signal, on a separate thread, so that it works when tasks are blocked.
    func received(_ signal: Int32) {
        switch signal {
        case SIGHUP: requested.yield(.reload)
        case SIGUSR1: requested.yield(.reopenLogs)
        default: stop(signal)
        }
    }

    private func stop(_ signal: Int32) {
        let (before, isFirst) = state.withLock { state in
            let before = state
            if before.stopSignal == nil { state.stopSignal = signal }
            return (before, before.stopSignal == nil)
        }
        guard isFirst else { return exit(128 + signal) }
        before.logger.info("Stopping", ["signal": .string(signal == SIGINT ? "SIGINT" : "SIGTERM")])
        manager.send(.stopping)
        before.task?.cancel()
        let (logger, exit) = (before.logger, exit)
        let grace = before.isReady ? before.gracePeriod + Self.extraGracePeriod : Self.startGracePeriod
        DispatchQueue.global().asyncAfter(deadline: .now() + grace.inSeconds) { @Sendable in
            // A program that is still starting has collected no data to lose.
            if before.isReady { logger.error("The shutdown timed out; the process ends now") }
            logger.flush()
            exit(before.isReady ? 1 : 0)
        }
    }
}
