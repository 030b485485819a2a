// SPDX-License-Identifier: MIT

import WPCore
import WPHistory

/// When a report was created, and what that implies for the sender's clock.
struct ReportTiming {
    let received: TimePoint
    private(set) var clock: SenderClock
    private let time: Double
    private let stamp: ReportStamp?

    /// - Parameters:
    ///   - time: the creation time by the sender's clock.
    ///   - stamp: the report's headers; nil if there are none.
    ///   - clock: what is known about the sender's clock.
    init(created time: Double, stamp: ReportStamp?, received: TimePoint, clock: SenderClock?) {
        self.time = time
        self.stamp = stamp
        self.received = received
        self.clock = clock ?? SenderClock(heard: received.monotonic)
        let lead = time - received.secondsSince1970
        if let stamp {
            self.clock.measure(lead + stamp.age, at: received.monotonic)
        } else {
            self.clock.judge(lead, at: received.monotonic)
        }
    }

    /// The moment of a reading, given its time by the sender's clock. Never in the future.
    func moment(of reading: Double) -> Fleet.Moment {
        let now = received.secondsSince1970
        guard let stamp else {
            return Fleet.Moment(time: min(reading - clock.skew, now), identity: HistoryIdentity(senderTime: reading))
        }
        // A report follows its reading within seconds; a longer wait means that the clock was stepped.
        let wait = time - reading
        let age = stamp.age + (wait > 0 && wait < 86_400 ? wait : 0)
        return Fleet.Moment(
            time: now - age,
            read: received.monotonic - .seconds(age),
            identity: HistoryIdentity(stream: stamp.boot, sequence: stamp.sequence)
        )
    }
}
