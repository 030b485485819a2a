// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPFleet
import WPHistory
import WPLogging
import WPModel

/// A history that is opened while the exporter already serves, so that no scrape waits for a database.
///
/// Collections that end in the meantime are queued and recorded once the history is open. If it cannot be opened, the
/// exporter still meters and serves.
final class OpeningHistory: Sendable {
    /// The maximum number of queued collections; the oldest are dropped.
    static let maxWaiting = 60
    /// The delay after which the log reports that the history is still opening.
    static let slow = Duration.seconds(10)
    /// How long the shutdown waits for a history that is still opening.
    static let closeLimit = Duration.seconds(2)

    private enum Phase {
        /// Not started, or in progress.
        case opening
        case open(HistoryService)
        case failed(TimePoint)
        case closed
    }

    private struct State {
        var phase = Phase.opening
        var hasBegun = false
        var waiting: [CycleReport] = []
        var dropped = 0
        /// The tasks that wait until opening has ended, by number.
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastWatcher = 0

        var isOpening: Bool {
            if case .opening = phase { true } else { false }
        }
    }

    private let openService: @Sendable () async throws -> HistoryService
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state = Mutex(State())

    /// Creates a history that ``begin()`` opens.
    /// - Parameters:
    ///   - timeSource: the clock for time limits and for the time of a failure.
    ///   - logger: receives one error if the history cannot be opened.
    ///   - open: opens it. Must not block a thread of the cooperative pool.
    init(
        timeSource: any TimeSource = .system,
        logger: Logger,
        open: @escaping @Sendable () async throws -> HistoryService
    ) {
        openService = open
        self.timeSource = timeSource
        self.logger = logger
    }

    /// The history while it is open.
    var service: HistoryService? {
        state.withLock { if case .open(let service) = $0.phase { service } else { nil } }
    }

    /// Whether the history could not be opened.
    var hasFailed: Bool {
        state.withLock { if case .failed = $0.phase { true } else { false } }
    }

    /// The history status in `/health`; nil once it is closed.
    var health: HistoryHealth? {
        switch state.withLock({ $0.phase }) {
        case .opening: HistoryHealth(state: .opening)
        case .open(let service): HistoryHealth(service.history)
        case .failed(let since): HistoryHealth(state: .failed, since: since)
        case .closed: nil
        }
    }

    /// Starts opening the history, and returns immediately. Does nothing on a second call or after ``close()``.
    func begin() {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { Task { await open() } }
    }

    /// Opens the history and records the queued collections; one that opens after ``close()`` is closed.
    private func open() async {
        let report = Task { [timeSource, logger] in
            guard await timeSource.hasSlept(for: Self.slow) else { return }
            logger.warn(
                "The history is still being opened; its API answers 503 until then",
                ["seconds": .int(Int(Self.slow.components.seconds))]
            )
        }
        defer { report.cancel() }
        do {
            let service = try await openService()
            let dropped: Int? = state.withLock { state in
                guard state.isOpening else { return nil }
                for report in state.waiting { service.record(report) }
                (state.phase, state.waiting) = (.open(service), [])
                return state.dropped
            }
            guard let dropped else { return await service.history.close() }
            if dropped > 0 {
                logger.warn(
                    "The history took a long time to open; the oldest collections are missing from it",
                    ["collections": .int(dropped)]
                )
            }
        } catch {
            logger.error("The history is disabled", ["error": .describing(error)])
            state.withLock { state in
                if state.isOpening { state.phase = .failed(timeSource.now) }
                state.waiting = []
            }
        }
        wakeWatchers()
    }

    private func wakeWatchers() {
        state.withLock { state in
            for watcher in state.watchers.values { watcher.finish() }
            state.watchers = [:]
        }
    }

    /// Records a collection, now or when the history is open. Never waits.
    func record(_ report: CycleReport) {
        let service: HistoryService? = state.withLock { state in
            if case .open(let service) = state.phase { return service }
            guard state.isOpening else { return nil }
            if state.waiting.count == Self.maxWaiting {
                state.waiting.removeFirst()
                state.dropped += 1
            }
            state.waiting.append(report)
            return nil
        }
        service?.record(report)
    }

    /// Waits until the history is open or has failed to open.
    /// - Parameter limit: the maximum wait; nil for unlimited.
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
            Task { [timeSource] in
                _ = await timeSource.hasSlept(for: limit)
                end.finish()
            }
        }
        for await _ in ended {}
        timer?.cancel()
        state.withLock { _ = $0.watchers.removeValue(forKey: number) }
    }

    /// Saves complete buckets until the task is cancelled.
    func run() async {
        await settled()
        if let service, !Task.isCancelled { return await service.history.run() }
        // There is nothing to do without a history, but returning would end the exporter.
        let (cancellation, never) = AsyncStream<Void>.makeStream()
        for await _ in cancellation {}
        never.finish()
    }

    /// Saves and closes the history. If it is still opening after ``closeLimit``, returns; it is then closed as soon as
    /// it is open. Does not wait if opening has not begun.
    func close() async {
        let hasBegun = state.withLock { state in
            defer { state.hasBegun = true }
            return state.hasBegun
        }
        if hasBegun { await settled(within: Self.closeLimit) }
        let (phase, lost) = state.withLock { state in
            defer { (state.phase, state.waiting) = (.closed, []) }
            return (state.phase, state.waiting.count + state.dropped)
        }
        wakeWatchers()
        switch phase {
        case .open(let service): await service.history.close()
        case .opening where hasBegun:
            logger.warn(
                "The history was still being opened at shutdown; the collections since the start are missing from it",
                ["collections": .int(lost)]
            )
        case .opening, .failed, .closed: break
        }
    }
}
