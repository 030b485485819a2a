// SPDX-License-Identifier: MIT

/// The reports that a hub has not taken yet, oldest first. It is bounded; when it is full it is thinned, so that an
/// outage of any length is covered from end to end, only more coarsely.
struct OutageBuffer: Sendable {
    /// A report that waits.
    struct Entry: Sendable, Hashable {
        let number: UInt64
        /// When it was made, in seconds of the monotonic clock.
        let time: Double
        let body: [UInt8]
    }

    private let maximumCount: Int
    private let maximumBytes: Int
    private var entries: [Entry] = []
    private var bytes = 0
    private var nextNumber: UInt64 = 1

    /// Creates an empty buffer.
    /// - Parameters:
    ///   - count: the most reports, at least 1.
    ///   - bytes: the most bytes of all of them; one is kept whatever its size.
    init(count: Int, bytes: Int) {
        maximumCount = max(count, 1)
        maximumBytes = bytes
    }

    /// The oldest.
    var first: Entry? { entries.first }
    var count: Int { entries.count }

    /// Adds a report.
    /// - Returns: how many others were given up for it.
    mutating func append(_ body: [UInt8], at time: Double) -> Int {
        entries.append(Entry(number: nextNumber, time: time, body: body))
        nextNumber += 1
        bytes += body.count
        var thinned = 0
        while entries.count > 1, entries.count > maximumCount || bytes > maximumBytes {
            bytes -= entries.remove(at: leastMissed).body.count
            thinned += 1
        }
        return thinned
    }

    /// Removes a report, if it is still there.
    mutating func remove(_ number: UInt64) {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
        bytes -= entries.remove(at: index).body.count
    }

    /// The one whose neighbours are nearest to each other, the oldest of several. The first and the last mark the outage's
    /// ends, and stay as long as there is another.
    private var leastMissed: Int {
        guard entries.count > 2 else { return 0 }
        var best = 1
        var smallest = Double.infinity
        for index in 1..<(entries.count - 1) {
            let gap = entries[index + 1].time - entries[index - 1].time
            if gap < smallest { (best, smallest) = (index, gap) }
        }
        return best
    }
}
