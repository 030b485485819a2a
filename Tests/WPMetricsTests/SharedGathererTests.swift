// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import WPMetrics

/// Gathers that overlap.
struct SharedGathererTests {
    /// Gives nothing until it is let go, and counts how often it was asked.
    private final class GatedGatherer: MetricGatherer {
        private let state = Mutex((asked: 0, waiting: [CheckedContinuation<Void, Never>]()))

        var asked: Int { state.withLock { $0.asked } }

        func gather() async -> Gathering {
            await withCheckedContinuation { continuation in
                state.withLock {
                    $0.asked += 1
                    $0.waiting.append(continuation)
                }
            }
            return Gathering(families: [])
        }

        func letGo() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    @Test func shareOne() async {
        let source = GatedGatherer()
        let shared = SharedGatherer(source)
        let first = Task { await shared.gather() }
        while source.asked == 0 { await Task.yield() }
        let others = (0..<8).map { _ in Task { await shared.gather() } }
        while shared.callers < 9 { await Task.yield() }
        source.letGo()
        _ = await first.value
        for other in others { _ = await other.value }
        #expect(source.asked == 1)
        #expect(shared.callers == 0)
    }

    @Test func askAgainAfterwards() async {
        let source = GatedGatherer()
        let shared = SharedGatherer(source)
        for round in 1...3 {
            let first = Task { await shared.gather() }
            while source.asked < round { await Task.yield() }
            source.letGo()
            _ = await first.value
            #expect(source.asked == round)
        }
    }
}
