// SPDX-License-Identifier: MIT

import Synchronization
package import WPLogging
package import WPModel

/// Collects samples in buckets, and knows the last thing that each subject reported.
///
/// ``record(_:)`` never waits. ``run()`` saves what is complete: at the end of each bucket, in one write. A crash loses the
/// buckets in flight; what counters grew in them is found in the next one, because the counters of the last saved bucket
/// are saved with it. A shared store is written to, and asked for what other programs have saved, every ten seconds.
package final class History: Sendable {
    /// How many buckets one removal takes.
    static let pruneBatch = 2000
    /// How many removals one pruning does; the rest goes at the next.
    static let pruneBatches = 100
    /// How often a shared store is written to, in seconds.
    static let sharedPace: Int64 = 10

    /// How it is kept.
    package let configuration: Configuration
    let store: any HistoryStore
    /// What numbers the samples of this program.
    package let stream = Int64.random(in: 1...(.max))
    let timeSource: any TimeSource
    let logger: Logger
    let clock: Mutex<Clocks>
    let intake: Mutex<HistoryIntake>
    let eventBuffer = Mutex(HistoryEventBuffer())
    /// The events that had not ended when the store was opened.
    package let openEvents: [HistoryEvent]
    private let writer = WriteTurn()
    private let listener = Mutex<(@Sendable ([HistorySubjectState]) -> Void)?>(nil)
    let forgetListener = Mutex<(@Sendable ([HistorySubject]) -> Void)?>(nil)

    /// Goes on where the store's content ends. A shared store that does not answer is asked again later.
    /// - Throws: ``HistoryStoreError`` when the store can't be read.
    package init(
        _ store: any HistoryStore,
        configuration: Configuration = Configuration(),
        timeSource: any TimeSource,
        logger: Logger
    ) async throws {
        self.store = store
        self.configuration = configuration
        self.timeSource = timeSource
        self.logger = logger
        intake = Mutex(
            HistoryIntake(
                isShared: store.isShared,
                seconds: configuration.seconds,
                maxSubjects: configuration.maxSubjects
            )
        )
        let now = timeSource.now
        clock = Mutex(Clocks(check: ClockCheck(now), started: now))
        // A shared store that does not answer is asked for everything else later, too.
        openEvents = store.isShared ? (try? await store.events(.open)) ?? [] : try await store.events(.open)
        if store.isShared {
            await refresh()
        } else {
            for saved in try await store.subjects() { intake.withLock { _ = $0.learn(saved) } }
        }
        if let newest = intake.withLock(\.newest) {
            clock.withLock { $0.newest = newest }
            checkClock { $0.learn(newest: newest, at: $1) }
        }
    }

    /// Adds a sample.
    @discardableResult
    package func record(_ sample: Sample) -> Outcome {
        let now = timeSource.now
        checkClock { $0.observe($1) }
        guard sample.time.isFinite, sample.time > now.secondsSince1970 - configuration.retention.inSeconds else {
            return .expired
        }
        guard sample.time >= ClockCheck.earliest else { return .undated }
        return intake.withLock { $0.record(sample, at: now.monotonic) }
    }

    /// How it fares.
    package var status: Status {
        var status = intake.withLock { intake in
            var status = intake.status
            status.subjects = intake.subjects.keys.count { $0.kind != .fleet }
            status.pendingBuckets = intake.pendingCount
            return status
        }
        status.fileReplacements = store.replacements
        return status
    }

    /// Has a function hear of what other programs have saved in a shared store.
    package func onChanges(_ listener: @escaping @Sendable ([HistorySubjectState]) -> Void) {
        self.listener.withLock { $0 = listener }
    }

    /// Has a function hear of subjects that were forgotten after the retention.
    package func onForget(_ listener: @escaping @Sendable ([HistorySubject]) -> Void) {
        forgetListener.withLock { $0 = listener }
    }

    /// Saves complete buckets, and removes old ones, until the task is cancelled; then saves all.
    package func run() async {
        let pace = store.isShared ? min(configuration.seconds, Self.sharedPace) : configuration.seconds
        var pruned: Duration?
        while !Task.isCancelled {
            let now = timeSource.now
            checkClock { $0.observe($1) }
            if pruned.map({ now.monotonic - $0 >= .seconds(3600) }) ?? true {
                await prune()
                pruned = now.monotonic
            }
            let wait = Self.wait(at: now.secondsSince1970, interval: pace)
            do { try await Task.sleep(for: .seconds(wait)) } catch { break }
            await save()
        }
        await saveAll()
    }

    /// The seconds to the next save: a little after the end of a bucket, for samples that come late, and a minute at most,
    /// so that a clock that is set does no harm.
    static func wait(at now: Double, interval: Int64) -> Double {
        let late = min(2, Double(interval) / 10)
        let next = (now / Double(interval)).rounded(.down) * Double(interval) + Double(interval) + late
        return min(max(next - now, 0.1), 60)
    }

    /// Saves the buckets whose time is over.
    package func save() async {
        let now = timeSource.now.secondsSince1970
        await save { Double($0.end) <= now }
        if store.isShared { await refresh() }
    }

    /// Saves everything, as at the end of the program.
    package func saveAll() async {
        await save { _ in true }
    }

    /// Saves, and closes the store.
    package func close() async {
        await saveAll()
        await store.close()
    }

    /// Takes what other programs have saved.
    private func refresh() async {
        let changes: [HistorySubjectState]
        do {
            changes = try await store.changes()
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
        await writer.take(work)
    }

    private func save(_ isOver: @escaping @Sendable (HistoryBucket) -> Bool) async {
        await writer.take { [self] in
            var mayHaveMore = true
            while mayHaveMore { mayHaveMore = await write(isOver) }
            do { try await saveEvents() } catch { fail(error) }
        }
    }

    /// - Returns: whether there is more to write, and it may work.
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

    /// Notes that the store does not take or give what it should.
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
                "The history can't be saved; it is kept in memory and tried again",
                ["error": .string(failure.message)]
            )
        }
    }
}

/// Lets one at a time work with the store and what is on its way to it, in the order of asking.
private actor WriteTurn {
    private var last: Task<Void, Never>?

    func take<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let before = last
        let task = Task {
            await before?.value
            return await work()
        }
        last = Task { _ = await task.value }
        return await task.value
    }
}
