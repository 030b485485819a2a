// SPDX-License-Identifier: MIT

import Synchronization
import WPCore

/// Sleeps until a ticker's ticks, on a grid that may change.
final class TickTimer: Sendable {
    /// How a sleep ended.
    enum Wake {
        /// The time was reached.
        case due
        /// The grid has changed.
        case changed
        /// The task was cancelled.
        case cancelled
    }

    /// A grid and its version number.
    struct Version: Sendable {
        var grid: TickGrid
        var number = 0
    }

    private struct State {
        var version: Version
        var sleep: Task<Void, any Error>?
    }

    private let state: Mutex<State>

    init(_ grid: TickGrid) {
        state = Mutex(State(version: Version(grid: grid)))
    }

    var current: Version { state.withLock { $0.version } }

    /// Changes the grid and ends a sleep on the previous one.
    func change(to grid: TickGrid) {
        let sleep = state.withLock { state in
            state.version = Version(grid: grid, number: state.version.number + 1)
            return state.sleep
        }
        sleep?.cancel()
    }

    /// Sleeps until a time on a version of the grid; returns immediately if there is a newer version.
    func sleep(on timeSource: any TimeSource, until monotonic: Duration, of version: Version) async -> Wake {
        let sleep = Task { try await timeSource.sleep(until: monotonic) }
        let isCurrent = state.withLock { state in
            guard state.version.number == version.number else { return false }
            state.sleep = sleep
            return true
        }
        guard isCurrent else {
            sleep.cancel()
            return Task.isCancelled ? .cancelled : .changed
        }
        let result = await withTaskCancellationHandler {
            await sleep.result
        } onCancel: {
            sleep.cancel()
        }
        let isSame = state.withLock { state in
            state.sleep = nil
            return state.version.number == version.number
        }
        if Task.isCancelled { return .cancelled }
        guard isSame else { return .changed }
        guard case .success = result else { return .cancelled }
        return .due
    }
}
