// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A manual clock: it advances only when a test says so. It is a Swift `Clock` for code that sleeps, and has a
/// ``timeSource`` for code that reads the time.
public final class TestClock: Clock, Sendable {
    /// A moment of the clock: the time since its start.
    public struct Instant: InstantProtocol {
        /// The time since the clock's start.
        public var offset: Duration

        /// The moment this much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this moment to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders by time.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let id: Int
        let count: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// Fewer tasks slept on a clock than a test has waited for.
    public struct SleepersMissing: Error, Sendable, Hashable, CustomStringConvertible {
        /// How many tasks were to sleep.
        public var expected: Int
        /// How many slept when the time was up.
        public var found: Int

        /// A sentence for the report of the test.
        public var description: String {
            "\(expected) sleeping on the test clock expected, \(found) found when the time was up"
        }
    }

    private struct State {
        var offset: Duration = .zero
        var wall: Date
        var nextID = 0
        var cancelled: Set<Int> = []
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
        /// Waits that ended before they began.
        var ended: [Int: any Error] = [:]
    }

    private let state: Mutex<State>

    /// Creates a clock that stands still.
    /// - Parameter wall: the initial time of its wall clock.
    public init(wall: Date = Date(timeIntervalSince1970: 1_750_000_000)) {
        state = Mutex(State(wall: wall))
    }

    /// The current moment, for code that sleeps.
    public var now: Instant { Instant(offset: state.withLock { $0.offset }) }

    /// Zero.
    public var minimumResolution: Duration { .zero }

    /// A time source that reads this clock.
    public var timeSource: any TimeSource { Reader(clock: self) }

    private struct Reader: TimeSource {
        let clock: TestClock
        var now: TimePoint { clock.state.withLock { TimePoint(wall: $0.wall, monotonic: $0.offset) } }
    }

    /// Sleeps until the test has advanced the clock far enough.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                enum Next { case sleep, wake, cancel }
                let (next, watchers): (Next, [CheckedContinuation<Void, any Error>]) = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return (.cancel, []) }
                    if state.offset >= deadline.offset { return (.wake, []) }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline.offset, continuation: continuation))
                    let count = state.sleepers.count
                    let due = state.watchers.filter { $0.count <= count }.map(\.continuation)
                    state.watchers.removeAll { $0.count <= count }
                    return (.sleep, due)
                }
                switch next {
                case .sleep: break
                case .wake: continuation.resume()
                case .cancel: continuation.resume(throwing: CancellationError())
                }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances both clocks and wakes the tasks whose deadline has passed, the earliest first.
    public func advance(by span: Duration) {
        let due = state.withLock { state in
            state.offset += span
            state.wall += span.inSeconds
            let due = state.sleepers.filter { $0.deadline <= state.offset }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= state.offset }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sets the wall clock forward or back; the monotonic time stays.
    public func stepWall(by seconds: Double) {
        state.withLock { $0.wall += seconds }
    }

    /// Waits until at least this many tasks sleep on the clock, so that they notice when it is advanced.
    /// - Parameters:
    ///   - count: how many tasks.
    ///   - limit: how long to wait, in real time: a task that failed before it slept must not hang the test.
    /// - Throws: ``SleepersMissing`` when the limit has passed; `CancellationError` when the task is cancelled.
    public func waitForSleepers(_ count: Int = 1, within limit: Duration = .seconds(60)) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            endWatch(id) { SleepersMissing(expected: count, found: $0) }
        }
        defer {
            timer.cancel()
            state.withLock { _ = $0.ended.removeValue(forKey: id) }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.sleepers.count >= count { return .success(()) }
                    if let error = state.ended[id] { return .failure(error) }
                    state.watchers.append(Watcher(id: id, count: count, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            endWatch(id) { _ in CancellationError() }
        }
    }

    /// Ends a wait for sleepers, at once or when it begins.
    /// - Parameter error: makes the error from the number of tasks that sleep.
    private func endWatch(_ id: Int, with error: (_ sleepers: Int) -> any Error) {
        let ended = state.withLock { state -> (CheckedContinuation<Void, any Error>, any Error)? in
            let error = error(state.sleepers.count)
            guard let index = state.watchers.firstIndex(where: { $0.id == id }) else {
                state.ended[id] = error
                return nil
            }
            return (state.watchers.remove(at: index).continuation, error)
        }
        if let (continuation, error) = ended { continuation.resume(throwing: error) }
    }
}
