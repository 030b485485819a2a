// SPDX-License-Identifier: MIT

import Synchronization

/// Who hears of a sink's problems. The first few wait until there is somebody.
final class ProblemReport: Sendable {
    private struct State {
        var report: (@Sendable (LogSinkError) -> Void)?
        var waiting: [LogSinkError] = []
    }

    private let state = Mutex(State())

    func set(_ report: @escaping @Sendable (LogSinkError) -> Void) {
        state.withLock { $0.report = report }
    }

    func tell(_ problems: [LogSinkError]) {
        var due: [LogSinkError] = []
        let report = state.withLock { state in
            due = state.waiting + problems
            state.waiting = state.report == nil ? Array(due.prefix(16)) : []
            return state.report
        }
        for problem in due { report?(problem) }
    }
}
