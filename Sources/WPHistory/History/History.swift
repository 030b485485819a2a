// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPLogging
import WPModel
import WPScheduler

/// Aggregates samples in buckets, and keeps the last report of each subject.
///
/// ``record(_:)`` never waits. ``run()`` saves all complete buckets in one write. A crash loses unsaved buckets, but
/// not counter increases, because the counters are saved as of the last saved bucket. A shared store is written and
/// polled every ten seconds.
///
/// ```swift
/// let history = try await History.open(.directory("/var/lib/shop"))
/// history.record(.init(subject: rack, time: now, values: [(.loadWatts, 420)]))
/// let hours = try await history.buckets(of: rack, from: start, to: end, step: 3600)
/// ```
public final class History: Sendable {
    /// The maximum number of buckets per batch of a pruning.
    static let pruneBatch = 2000
    /// The maximum number of batches per pruning; the next one removes the rest.
    static let pruneBatches = 100
    /// The write interval of a shared store, in seconds.
    static let sharedInterval: Int64 = 10
    /// The maximum time between two saves, in seconds, regardless of the length of buckets.
    static let longestInterval: Int64 = 60

    /// The configuration.
    public let configuration: Configuration
    let store: any HistoryStore
    /// Whether other programs also write to the store.
    let isShared: Bool
    /// Identifies the stream of this program's samples: see ``HistoryIdentity/stream``.
    package let stream = Int64.random(in: 1...(.max))
    let timeSource: any TimeSource
    let logger: Logger
    let clock: Mutex<Clocks>
    let intake: Mutex<HistoryIntake>
    let eventBuffer = Mutex(HistoryEventBuffer())
    /// The events that had not ended when the store was opened.
    package let openEvents: [HistoryEvent]
    private let writeQueue = WriteQueue()
    private let listener = Mutex<(@Sendable ([HistorySubjectState]) -> Void)?>(nil)
    let forgetListener = Mutex<(@Sendable ([HistorySubject]) -> Void)?>(nil)

    /// Resumes from the content of a store, which ``close()`` closes. To open a store of this library, use
    /// ``open(_:configuration:timeSource:logger:)``. If a shared store is unreachable, loads its content later.
    /// - Throws: ``HistoryStoreError`` if the store cannot be read.
    public init(
        _ store: any HistoryStore,
        configuration: Configuration = Configuration(),
        timeSource: any TimeSource = .system,
        logger: Logger = .silent
    ) async throws {
        self.store = store
        let isShared = (store as? any SharedHistoryStore)?.isShared ?? false
        self.isShared = isShared
        self.configuration = configuration
        self.timeSource = timeSource
        self.logger = logger
        intake = Mutex(
            HistoryIntake(
                isShared: isShared,
                seconds: configuration.seconds,
                maxSubjects: configuration.maxSubjects
            )
        )
        let now = timeSource.now
        clock = Mutex(Clocks(check: ClockCheck(now), started: now))
        // lint: an unreachable shared store must not prevent the start
        openEvents = isShared ? (try? await store.events(.open)) ?? [] : try await store.events(.open)
        if isShared {
            await refresh()
        } else {
            for saved in try await store.subjects() { intake.withLock { _ = $0.learn(saved) } }
        }
        if let newest = intake.withLock(\.newest) {
            clock.withLock { $0.newest = newest }
            checkClock { $0.learn(newest: newest, at: $1) }
        }
    }

    /// Adds a sample. Never waits.
    @discardableResult
    public func record(_ sample: Sample) -> Outcome {
        let now = timeSource.now
        checkClock { $0.observe($1) }
        guard sample.time.isFinite, sample.time > now.secondsSince1970 - configuration.retention.inSeconds else {
            return .expired
        }
        guard sample.time >= ClockCheck.earliest else { return .undated }
        return intake.withLock { $0.record(sample, at: now.monotonic) }
    }

    /// Its status.
    public var status: Status {
        var status = intake.withLock { intake in
            var status = intake.status
            status.subjects = intake.subjects.keys.count { $0.kind != .fleet }
            status.pendingBuckets = intake.pendingCount
            return status
        }
        status.fileReplacements = (store as? SQLiteHistoryStore)?.replacements ?? 0
        return status
    }

    /// Sets a callback for changes by other programs in a shared store.
    package func onChanges(_ listener: @escaping @Sendable ([HistorySubjectState]) -> Void) {
        self.listener.withLock { $0 = listener }
    }

    /// Sets a callback for subjects that expired or were removed.
    package func onForget(_ listener: @escaping @Sendable ([HistorySubject]) -> Void) {
        forgetListener.withLock { $0 = listener }
    }

    /// Saves complete buckets and removes old ones until the task is cancelled; then saves everything.
    public func run() async {
        let interval = min(configuration.seconds, isShared ? Self.sharedInterval : Self.longestInterval)
        checkClock { $0.observe($1) }
        await prune()
        let ticker = Ticker(interval: .seconds(interval), timeSource: timeSource)
        let pruned = Mutex(timeSource.now.monotonic)
        let first = Self.wait(at: timeSource.now.secondsSince1970, interval: interval)
        await ticker.run(after: .seconds(first)) { [self] tick in
            await save()
            checkClock { $0.observe($1) }
            guard tick.due - pruned.withLock(\.self) >= .seconds(3600) else { return }
            await prune()
            pruned.withLock { $0 = tick.due }
        }
        await saveAll()
    }

    /// The seconds to the next save: shortly after the end of a bucket, for late samples, and at most a minute, to
    /// tolerate clock steps.
    static func wait(at now: Double, interval: Int64) -> Double {
        let late = min(2, Double(interval) / 10)
        return (now / Double(interval)).rounded(.down) * Double(interval) + Double(interval) + late - now
    }

    /// Saves complete buckets.
    package func save() async {
        let now = timeSource.now.secondsSince1970
        await save { Double($0.end) <= now }
        if isShared { await refresh() }
    }

    /// Saves everything, including incomplete buckets.
    public func saveAll() async {
        await save { _ in true }
    }

    /// Saves everything and closes the store. Nothing may be recorded afterwards.
    public func close() async {
        await saveAll()
        await store.close()
    }

    /// Loads changes saved by other programs.
    private func refresh() async {
        let changes: [HistorySubjectState]
        do {
            changes = try await (store as? any SharedHistoryStore)?.changes() ?? []
        } catch {
            fail(error)
            return
        }
        let (news, failed) = intake.withLock { intake in
            let failed = intake.pendingCount == 0 ? intake.status.failure : nil
            if failed != nil { intake.status.failure = nil }
            return (changes.filter { intake.learn($0) }, failed)
        }
        if let newest = changes.map(\.lastSample).filter(\.isFinite).max() {
            checkClock { $0.learn(newest: newest, at: $1) }
        }
        if failed != nil { logger.info("The history is saved again") }
        if !news.isEmpty { listener.withLock { $0 }?(news) }
    }

    /// Runs work between two writes.
    func exclusively<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        await writeQueue.run(work)
    }

    private func save(_ isOver: @escaping @Sendable (HistoryBucket) -> Bool) async {
        await writeQueue.run { [self] in
            var mayHaveMore = true
            while mayHaveMore { mayHaveMore = await write(isOver) }
            do { try await saveEvents() } catch { fail(error) }
        }
    }

    /// - Returns: whether there is more to write, and another write may succeed.
    private func write(_ isOver: (HistoryBucket) -> Bool) async -> Bool {
        var (batch, documents) = intake.withLock { $0.beginWrite(isOver) }
        for index in batch.subjects.indices {
            batch.subjects[index].document = documents[batch.subjects[index].subject]?.bytes ?? []
            if !batch.subjects[index].lastSample.isFinite { batch.subjects[index].lastSample = 0 }
        }
        guard !batch.isEmpty else { return false }
        do {
            try await store.write(batch)
            let (failed, hasMore) = intake.withLock { intake in
                intake.endWrite()
                defer { intake.status.failure = nil }
                return (intake.status.failure, intake.hasMore)
            }
            if failed != nil { logger.info("The history is saved again") }
            return hasMore
        } catch {
            intake.withLock { $0.failWrite(batch) }
            fail(error)
            return false
        }
    }

    /// Records a failure of the store.
    private func fail(_ error: any Error) {
        let failure =
            error as? HistoryStoreError
            ?? HistoryStoreError(code: .failed, message: "saving the history failed: \(error)")
        let isNew = intake.withLock { intake in
            defer {
                intake.status.failure = failure
                if intake.status.failingSince == nil { intake.status.failingSince = timeSource.now }
            }
            return intake.status.failure?.code != failure.code
        }
        if isNew {
            logger.error(
                "The history cannot be saved; it is kept in memory and retried",
                ["error": .string(failure.message)]
            )
        }
    }
}

/// Runs writes and removals one at a time, in the order of the calls.
private actor WriteQueue {
    private var last: Task<Void, Never>?

    func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let before = last
        let task = Task {
            await before?.value
            return await work()
        }
        last = Task { _ = await task.value }
        return await task.value
    }
}
