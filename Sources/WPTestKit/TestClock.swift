// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A manual clock: it advances only on request.
public final class TestClock: TimeSource {
    private struct Sleeper {
        let id: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// Fewer tasks slept on a clock than a test waited for.
    public struct SleepersMissing: Error, Sendable, Hashable, CustomStringConvertible {
        /// The expected number of sleeping tasks.
        public var expected: Int
        /// The number of sleeping tasks at the time limit.
        public var found: Int

        /// A sentence for the test report.
        public var description: String {
            "\(expected) sleeping on the test clock expected, \(found) found at the timeout"
        }
    }

    private struct State {
        var offset: Duration = .zero
        var wall: Date
        var nextID = 0
        var cancelled: Set<Int> = []
        var sleepers: [Sleeper] = []
    }

    private let state: Mutex<State>

    /// Creates a stopped clock.
    /// - Parameter wall: the initial time of its wall clock.
    public init(wall: Date = Date(timeIntervalSince1970: 1_750_000_000)) {
        state = Mutex(State(wall: wall))
    }

    /// The current moment; its monotonic time counts from the creation of the clock.
    public var now: TimePoint { state.withLock { TimePoint(wall: $0.wall, monotonic: $0.offset) } }

    /// The clock itself.
    public var timeSource: any TimeSource { self }

    /// Sleeps until the clock reaches the deadline.
    public func sleep(until monotonic: Duration, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                enum Next { case sleep, wake, cancel }
                let next: Next = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .cancel }
                    if state.offset >= monotonic { return .wake }
                    state.sleepers.append(Sleeper(id: id, deadline: monotonic, continuation: continuation))
                    return .sleep
                }
                switch next {
                case .sleep: break
                case .wake: continuation.resume()
                case .cancel: continuation.resume(throwing: CancellationError())
                }
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

    /// Advances both clocks and resumes the tasks whose deadline has passed, the earliest first.
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

    /// Steps the wall clock forward or back; monotonic time is unaffected.
    public func stepWall(by seconds: Double) {
        state.withLock { $0.wall += seconds }
    }

    /// Waits until at least this many tasks sleep on the clock, so that advancing it resumes them.
    /// - Parameters:
    ///   - count: the number of tasks.
    ///   - limit: how long to wait in real time, so that a task that failed before sleeping does not hang the test.
    /// - Throws: ``SleepersMissing`` if the limit has passed; `CancellationError` if the task is cancelled.
    public func waitForSleepers(_ count: Int = 1, within limit: Duration = .seconds(60)) async throws {
        guard await !eventually(within: limit, { state.withLock { $0.sleepers.count } >= count }) else { return }
        try Task.checkCancellation()
        throw SleepersMissing(expected: count, found: state.withLock { $0.sleepers.count })
    }
}
