// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPHistory
import WPLogging
import WPModel

/// A history that is opened while the exporter already serves, so that no scrape waits for a database.
///
/// Collections that end meanwhile wait in memory and are added once the history is open. An exporter whose history can't
/// be opened meters and serves all the same.
final class OpeningHistory: Sendable {
    /// The most collections that wait for the history; the oldest are dropped.
    static let maxWaiting = 60
    /// After this time the log says that the history is still being opened.
    static let slow = Duration.seconds(10)
    /// How long the end of the exporter waits for a history that is still being opened.
    static let closePatience = Duration.seconds(2)

    private enum Phase {
        /// Not begun, or still under way.
        case opening
        case open(HistoryService)
        case failed(TimePoint)
        case closed
    }

    private struct State {
        var phase = Phase.opening
        var hasBegun = false
        var waiting: [CollectionSnapshot] = []
        var dropped = 0
        /// Those who wait for the end of the opening, by number.
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastWatcher = 0

        var isOpening: Bool {
            if case .opening = phase { true } else { false }
        }

        mutating func takeWatchers() -> [AsyncStream<Void>.Continuation] {
            defer { watchers = [:] }
            return Array(watchers.values)
        }
    }

    /// What is to be done with a history that has just been opened.
    private enum Next {
        case add([CollectionSnapshot])
        case serve([AsyncStream<Void>.Continuation], dropped: Int)
        case close
    }

    private let openService: @Sendable () async throws -> HistoryService
    private let clock: any Clock<Duration>
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state = Mutex(State())

    /// A history that ``begin()`` opens.
    /// - Parameters:
    ///   - clock: on which waiting ends.
    ///   - timeSource: says when the opening failed.
    ///   - logger: gets one error when the history can't be opened.
    ///   - open: opens it. It must not block a thread of Swift's pool.
    init(
        clock: any Clock<Duration> = .continuous,
        timeSource: any TimeSource = SystemTimeSource(),
        logger: Logger,
        open: @escaping @Sendable () async throws -> HistoryService
    ) {
        openService = open
        self.clock = clock
        self.timeSource = timeSource
        self.logger = logger
    }

    /// The history, once it is open and until it is closed.
    var service: HistoryService? {
        state.withLock { if case .open(let service) = $0.phase { service } else { nil } }
    }

    /// Whether the history could not be opened.
    var hasFailed: Bool {
        state.withLock { if case .failed = $0.phase { true } else { false } }
    }

    /// How it fares, as `/health` says it; nil once it is closed.
    var health: HistoryHealth? {
        switch state.withLock({ $0.phase }) {
        case .opening: HistoryHealth(state: .opening)
        case .open(let service): HistoryHealth(service.history)
        case .failed(let since): HistoryHealth(state: .failed, since: since)
        case .closed: nil
        }
    }

    /// Starts to open the history, and returns at once. Does nothing when it was called before, or after ``close()``.
    func begin() {
        let isFirst = state.withLock { state in
            guard state.isOpening, !state.hasBegun else { return false }
            state.hasBegun = true
            return true
        }
        guard isFirst else { return }
        Task { [self] in
            let report = Task { [self] in
                guard (try? await clock.sleep(for: Self.slow)) != nil else { return }
                logger.warn(
                    "The history is still being opened; its API answers 503 until then",
                    ["seconds": .int(Int(Self.slow.components.seconds))]
                )
            }
            defer { report.cancel() }
            do {
                await opened(try await openService())
            } catch {
                logger.error("No history is kept", ["error": .describing(error)])
                let watchers = state.withLock { state in
                    if state.isOpening { state.phase = .failed(timeSource.now) }
                    state.waiting = []
                    return state.takeWatchers()
                }
                for watcher in watchers { watcher.finish() }
            }
        }
    }

    /// Adds what waited, in order, and has the rest come directly.
    private func opened(_ service: HistoryService) async {
        while true {
            let next: Next = state.withLock { state in
                guard state.isOpening else { return .close }
                guard state.waiting.isEmpty else {
                    defer { state.waiting = [] }
                    return .add(state.waiting)
                }
                state.phase = .open(service)
                return .serve(state.takeWatchers(), dropped: state.dropped)
            }
            switch next {
            case .add(let snapshots):
                for snapshot in snapshots { service.record(snapshot) }
            case .serve(let watchers, let dropped):
                if dropped > 0 {
                    logger.warn(
                        "The history took long to open; the oldest collections are missing in it",
                        ["collections": .int(dropped)]
                    )
                }
                for watcher in watchers { watcher.finish() }
                return
            case .close:
                await service.history.close()
                return
            }
        }
    }

    /// Adds what a collection read, now or when the history is open. It never waits.
    func record(_ snapshot: CollectionSnapshot) {
        let service: HistoryService? = state.withLock { state in
            if case .open(let service) = state.phase { return service }
            guard state.isOpening else { return nil }
            if state.waiting.count == Self.maxWaiting {
                state.waiting.removeFirst()
                state.dropped += 1
            }
            state.waiting.append(snapshot)
            return nil
        }
        service?.record(snapshot)
    }

    /// Waits until the history is open or can't be opened.
    /// - Parameter limit: how long to wait at most; nil for as long as it takes.
    func settled(within limit: Duration? = nil) async {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let number: Int? = state.withLock { state in
            guard state.isOpening else { return nil }
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = end
            return state.lastWatcher
        }
        guard let number else { return }
        let timer = limit.map { limit in
            Task { [clock] in
                try? await clock.sleep(for: limit)
                end.finish()
            }
        }
        for await _ in ended {}
        timer?.cancel()
        state.withLock { _ = $0.watchers.removeValue(forKey: number) }
    }

    /// Saves what is complete until the task is cancelled.
    func run() async {
        await settled()
        if let service, !Task.isCancelled { return await service.history.run() }
        // Without a history there is nothing to do; but the end of one part is the end of the exporter.
        let (cancellation, never) = AsyncStream<Void>.makeStream()
        for await _ in cancellation {}
        never.finish()
    }

    /// Saves, and closes the history. One that is still being opened after a moment is given up: it is closed when it
    /// is open, if the process lives as long. One that nobody began to open is not waited for.
    func close() async {
        let watchers: [AsyncStream<Void>.Continuation] = state.withLock { state in
            guard state.isOpening, !state.hasBegun else { return [] }
            state.phase = .closed
            state.waiting = []
            return state.takeWatchers()
        }
        for watcher in watchers { watcher.finish() }
        await settled(within: Self.closePatience)
        let (phase, waiting) = state.withLock { state in
            defer {
                state.phase = .closed
                state.waiting = []
            }
            return (state.phase, state.waiting.count + state.dropped)
        }
        switch phase {
        case .open(let service): await service.history.close()
        case .opening:
            logger.warn(
                "The history was still being opened at the end; the collections since the start are missing in it",
                ["collections": .int(waiting)]
            )
        case .failed, .closed: break
        }
    }
}
