// SPDX-License-Identifier: MIT

import Synchronization
import WPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread that waits for sockets and runs the tasks that serve them; the task executor of its connections.
///
/// A connection is straight-line code on one thread, from reading through the handler to writing, without locks.
/// Nonisolated functions of such a task run here; after a hop to another executor, the task returns here.
///
/// Unchecked because everything is used only on the thread, except the inbox, the thread's identity and
/// ``EventPoller/wake()``, which are thread-safe.
final class EventLoop: TaskExecutor, @unchecked Sendable {
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var work: [@Sendable () -> Void] = []
        var hasEnded = false

        var isEmpty: Bool { jobs.isEmpty && work.isEmpty }
    }

    /// The shared read buffer of all sockets.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: scratchBytes, alignment: 16)
    static let scratchBytes = 16 << 10
    /// When the loop last woke.
    private(set) var time: TimePoint
    /// The clock for its deadlines.
    let timeSource: any TimeSource
    /// The number of the polling round, unique among the loops of the process.
    private(set) var turn: UInt64
    private static let loops = Atomic<UInt64>(0)

    private let poller: SystemPoller
    /// Wakes the poller at the earliest deadline; nil for the system's clock, for which the poller's own timeout
    /// suffices.
    private var alarm: DeadlineAlarm?
    private let longest = Mutex(Duration.zero)
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)

    private var ready: [UnownedJob] = []
    private var channels: [UInt64: Channel] = [:]
    private var timers: [(deadline: Duration, action: () -> Void)] = []
    /// No later than the earliest deadline of the timers and channels.
    private var nextDeadline = Duration.never
    private var lastToken: UInt64 = 0
    private var yielding: [UnsafeContinuation<Void, Never>] = []
    private var tasks = 0
    private var isStopping = false

    init(timeSource: any TimeSource = .system) throws(SystemCallError) {
        self.timeSource = timeSource
        time = timeSource.now
        poller = try SystemPoller()
        turn = Self.loops.wrappingAdd(1, ordering: .relaxed).newValue << 40
    }

    deinit { scratch.deallocate() }

    /// Starts the thread. It ends after ``stop()``, when the last task has ended.
    /// - Parameter name: the name of the thread.
    func start(named name: String) throws(SystemCallError) {
        if !(timeSource is SystemTimeSource) {
            alarm = DeadlineAlarm(timeSource) { [weak self] in self?.poller.wake() }
        }
        let code = DetachedThread.start(named: name) { [self] in run() }
        guard code == 0 else { throw SystemCallError(call: "pthread_create", code: code) }
    }

    /// Whether the caller runs on the loop's thread.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThread() }

    /// Enqueues a job from Swift's runtime.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            ready.append(job)
            return
        }
        // No task remains when the loop ends; this keeps a stray job from hanging.
        if !post({ $0.jobs.append(job) }) { globalConcurrentExecutor.enqueue(job) }
    }

    /// - Returns: false if the loop has ended.
    private func post(_ add: (inout Inbox) -> Void) -> Bool {
        let (wasEmpty, hasEnded) = inbox.withLock { inbox in
            let wasEmpty = inbox.isEmpty
            if !inbox.hasEnded { add(&inbox) }
            return (wasEmpty, inbox.hasEnded)
        }
        if wasEmpty, !hasEnded { poller.wake() }
        return !hasEnded
    }

    /// The longest time between two waits. Thread-safe.
    var longestTurn: Duration { longest.withLock { $0 } }

    /// When the loop last woke, on the monotonic clock.
    var now: Duration { time.monotonic }

    /// Runs a function on the loop's thread, in order. Thread-safe.
    /// - Parameter orElse: called immediately instead if the loop has ended.
    func execute(_ work: @escaping @Sendable () -> Void, orElse: () -> Void = {}) {
        if !post({ $0.work.append(work) }) { orElse() }
    }

    /// Ends the thread when no task is left.
    func stop() {
        isStopping = true
    }

    /// Starts a task on the loop.
    @discardableResult
    func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        tasks += 1
        return Task(executorPreference: self) {
            await body()
            self.tasks -= 1
        }
    }

    /// Yields to sockets, deadlines and other tasks.
    nonisolated(nonsending) func yield() async {
        await withUnsafeContinuation { yielding.append($0) }
    }

    /// Watches a descriptor, which the channel then owns. Closes it on error.
    func open(_ descriptor: Int32, isListener: Bool = false) throws(SystemCallError) -> Channel {
        lastToken += 1
        let channel = Channel(descriptor: descriptor, token: lastToken, loop: self)
        try poller.add(descriptor, token: lastToken, isListener: isListener)
        channels[lastToken] = channel
        return channel
    }

    /// Runs a function once, after a delay.
    func schedule(after span: Duration, _ action: @escaping () -> Void) {
        let deadline = timeSource.now.monotonic.advanced(by: span)
        timers.append((deadline, action))
        wake(by: deadline)
    }

    /// Makes the loop check all deadlines at this time or earlier.
    func wake(by deadline: Duration) {
        nextDeadline = min(nextDeadline, deadline)
    }

    func forget(_ channel: Channel) {
        channels[channel.token] = nil
    }

    private func run() {
        thread.store(currentThread(), ordering: .relaxed)
        repeat {
            let count = poller.wait(timeout: timeUntilNextDeadline())
            time = timeSource.now
            turn &+= 1
            for index in 0..<count {
                let event = poller.event(at: index)
                // An unknown token is the poller's own, or that of a channel closed by an earlier event.
                channels[event.token]?.handle(event)
            }
            fireDeadlines()
            emptyInbox()
            resumeYielding()
            runReady()
            recordTurn()
        } while !hasEnded()
        // Another thread may get the same identity.
        thread.store(0, ordering: .relaxed)
        alarm?.set(nil)
        // Timers and channels may retain the loop.
        timers = []
        channels = [:]
    }

    private func recordTurn() {
        let turn = timeSource.now.monotonic - now
        longest.withLock { $0 = max($0, turn) }
    }

    /// The timeout of the poller; nil for none.
    private func timeUntilNextDeadline() -> Duration? {
        guard ready.isEmpty, yielding.isEmpty else { return .zero }
        guard nextDeadline < .never else { return nil }
        let remaining = max(.zero, nextDeadline - timeSource.now.monotonic)
        guard let alarm, remaining > .zero else { return remaining }
        alarm.set(nextDeadline)
        return nil
    }

    private func fireDeadlines() {
        guard nextDeadline <= now else { return }
        for channel in channels.values { channel.checkDeadline(now) }
        let due = timers.filter { $0.deadline <= now }
        timers.removeAll { $0.deadline <= now }
        nextDeadline = channels.values.reduce(.never) { min($0, $1.deadline) }
        nextDeadline = timers.reduce(nextDeadline) { min($0, $1.deadline) }
        for timer in due { timer.action() }
    }

    private func emptyInbox() {
        let (jobs, work) = inbox.withLock { inbox in
            let taken = (inbox.jobs, inbox.work)
            inbox.jobs = []
            inbox.work = []
            return taken
        }
        ready.append(contentsOf: jobs)
        for function in work { function() }
    }

    private func resumeYielding() {
        let continuations = yielding
        yielding = []
        for continuation in continuations { continuation.resume() }
    }

    private func runReady() {
        // Jobs enqueue further jobs, so run a few rounds before returning to sockets and deadlines.
        for _ in 0..<16 where !ready.isEmpty {
            let batch = ready
            ready.removeAll(keepingCapacity: true)
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private func hasEnded() -> Bool {
        guard isStopping, tasks == 0, ready.isEmpty else { return false }
        return inbox.withLock { inbox in
            guard inbox.isEmpty else { return false }
            inbox.hasEnded = true
            return true
        }
    }
}

private func currentThread() -> UInt {
    // An integer or a pointer, depending on the system; unique while the thread exists.
    #if canImport(Glibc)
    return UInt(pthread_self())
    #else
    return UInt(bitPattern: pthread_self())
    #endif
}
