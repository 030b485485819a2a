// SPDX-License-Identifier: MIT

/// The reports that a hub has not accepted yet, oldest first. When full, it is thinned, so that it covers an outage of
/// any length at lower resolution.
struct OutageBuffer: Sendable {
    /// A buffered report.
    struct Entry: Sendable, Hashable {
        let number: UInt64
        /// When it was created, in seconds of the monotonic clock.
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
    ///   - count: the maximum number of reports, at least 1.
    ///   - bytes: the maximum total size in bytes; one report is always kept.
    init(count: Int, bytes: Int) {
        maximumCount = max(count, 1)
        maximumBytes = bytes
    }

    /// The oldest report.
    var first: Entry? { entries.first }
    var count: Int { entries.count }

    /// Adds a report.
    /// - Returns: the number of reports dropped to make room.
    mutating func append(_ body: [UInt8], at time: Double) -> Int {
        entries.append(Entry(number: nextNumber, time: time, body: body))
        nextNumber += 1
        bytes += body.count
        var thinned = 0
        while entries.count > 1, entries.count > maximumCount || bytes > maximumBytes {
            bytes -= entries.remove(at: mostExpendable).body.count
            thinned += 1
        }
        return thinned
    }

    /// Removes a report if it is still buffered.
    mutating func remove(_ number: UInt64) {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
        bytes -= entries.remove(at: index).body.count
    }

    /// The report whose neighbours are closest, the oldest on a tie. The first and last are kept as long as there are
    /// others.
    private var mostExpendable: Int {
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
