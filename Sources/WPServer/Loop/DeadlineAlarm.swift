// SPDX-License-Identifier: MIT

import WPCore

/// Wakes an event loop at its earliest deadline on a clock other than the system's.
///
/// Use it only on the loop's thread.
final class DeadlineAlarm {
    private let timeSource: any TimeSource
    private let wake: @Sendable () -> Void
    private var deadline: Duration?
    private var sleeper: Task<Void, Never>?

    init(_ timeSource: any TimeSource, wake: @escaping @Sendable () -> Void) {
        self.timeSource = timeSource
        self.wake = wake
    }

    /// Replaces the deadline; nil for none.
    func set(_ deadline: Duration?) {
        guard deadline != self.deadline else { return }
        self.deadline = deadline
        sleeper?.cancel()
        sleeper = deadline.map { deadline in
            Task { [timeSource, wake] in
                if (try? await timeSource.sleep(until: deadline)) != nil { wake() }
            }
        }
    }
}
