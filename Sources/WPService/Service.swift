// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
public import WPLogging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a program under a service manager until it is told to stop.
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
/// SIGTERM and SIGINT cancel the task of the body, from the moment that the service is made: a start that hangs ends too.
/// A second one ends the process at once. A body that does not end within the grace period is cut off. The service
/// manager is told when the program is ready, reloads and stops (sd_notify(3)), and regularly that it is alive where it
/// asks for that (`WatchdogSec=`).
///
/// A process has one service, made by its `main`.
public final class Service: Sendable {
    /// What a signal asks a running program for.
    public enum Request: Sendable, Hashable {
        /// SIGHUP: to load its settings again.
        case reload
        /// SIGUSR1: to reopen its log files.
        case reopenLogs
    }

    /// How long a program that is still starting may take to end.
    static let startGracePeriod = Duration.seconds(1)
    /// What is added to the grace period, so that parts which use all of it can still say so.
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

    /// Takes SIGTERM, SIGINT, SIGHUP and SIGUSR1 from now on. SIGHUP and SIGUSR1 wait for ``serve(_:)``.
    /// - Parameters:
    ///   - gracePeriod: how long the body may take to end. Two seconds later the process ends with the status 1.
    ///   - logger: gets a record when the program is told to stop, and when it is cut off.
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

    /// Changes the grace period and the logger, such as when settings have been loaded.
    public func configure(gracePeriod: Duration, logger: Logger) {
        state.withLock { state in
            state.gracePeriod = gracePeriod
            state.logger = logger
        }
    }

    /// Runs the body, and returns when it has ended. The body returns soon after its task is cancelled.
    /// - Throws: what the body throws; not a `CancellationError` after it was told to stop.
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

    /// Tells the service manager that the program has started, and from now on that it is alive.
    public func ready() {
        state.withLock { $0.isReady = true }
        manager.send(.ready)
        guard let interval = manager.watchdogInterval else { return }
        let manager = manager
        keep(
            Task {
                // Sent from a task, so that a program whose tasks no longer run is restarted.
                repeat { manager.send(.alive) } while (try? await Task.sleep(for: interval)) != nil
            }
        )
    }

    /// Handles SIGHUP and SIGUSR1 until the body has ended, one request after the other. Requests that came earlier are
    /// handled first. The service manager is told of reloads. Call it once.
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

    /// Handles a signal; called on a thread of its own, so that it works when no task gets to run.
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
        let (seconds, attoseconds) = grace.components
        let deadline =
            DispatchTime.now() + .seconds(Int(clamping: seconds))
            + .nanoseconds(Int(clamping: attoseconds / 1_000_000_000))
        DispatchQueue.global().asyncAfter(deadline: deadline) { @Sendable in
            // Nothing has been collected by a program that was still starting, so nothing is lost.
            if before.isReady { logger.error("The shutdown timed out; the process ends now") }
            logger.flush()
            exit(before.isReady ? 1 : 0)
        }
    }
}
