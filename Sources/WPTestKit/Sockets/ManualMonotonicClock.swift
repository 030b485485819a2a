// SPDX-License-Identifier: MIT

import Synchronization
package import WPSockets

/// A monotonic clock that advances only on request, for a server's deadlines.
package final class ManualMonotonicClock: MonotonicClock {
    private struct State {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        var wakes: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var now: MonotonicInstant { state.withLock { $0.now } }

    /// Advances the clock and wakes sleeping loops.
    package func advance(by span: Duration) {
        let wakes = state.withLock { state in
            state.now = state.now.advanced(by: span)
            return state.wakes
        }
        for wake in wakes { wake() }
    }

    package func sleep(until instant: MonotonicInstant) -> UInt64? {
        instant <= now ? 0 : nil
    }

    package func onMove(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakes.append(wake) }
    }
}
