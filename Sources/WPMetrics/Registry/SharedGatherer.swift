// SPDX-License-Identifier: MIT

import Synchronization

/// Lets gathers that overlap share one: who asks while one runs gets its result.
///
/// So a crowd of scrapers costs one round of collectors at a time. What a latecomer gets may have been read a moment
/// before it asked. A caller that is cancelled neither stops the gather, which others may wait for, nor stops waiting.
package final class SharedGatherer: MetricGatherer {
    private let source: any MetricGatherer
    private let running = Mutex<Running?>(nil)

    private struct Running {
        let task: Task<Gathering, Never>
        var callers = 1
    }

    /// Creates a gatherer before another one.
    package init(_ source: any MetricGatherer) {
        self.source = source
    }

    /// Gives what the source gives, or is about to give to somebody else.
    package func gather() async -> Gathering {
        let task = running.withLock { running in
            if let task = running?.task {
                running?.callers += 1
                return task
            }
            let task = Task {
                let gathering = await source.gather()
                self.running.withLock { $0 = nil }
                return gathering
            }
            running = Running(task: task)
            return task
        }
        return await task.value
    }

    /// How many callers wait for the gather that runs; 0 when none does.
    var callers: Int { running.withLock { $0?.callers ?? 0 } }
}
