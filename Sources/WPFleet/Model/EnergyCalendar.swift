// SPDX-License-Identifier: MIT

import WPHistory

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Days and months, in this machine's time zone or in UTC.
struct EnergyCalendar {
    enum Period: String, CaseIterable {
        case day, month
    }

    enum Zone: String, CaseIterable {
        case local, utc
    }

    /// The energy of one day or month.
    struct Entry: Equatable {
        /// `2026-01-31` or `2026-01`.
        var label: String
        /// Its start, in seconds since 1970.
        var start: Int64
        var wattHours: Double
        /// The number of samples that contain the counter.
        var samples: Int
    }

    var period: Period
    var zone: Zone

    /// The energy of buckets in chronological order.
    func entries(_ buckets: [HistoryBucket]) -> [Entry] {
        var entries: [Entry] = []
        for bucket in buckets {
            guard let energy = bucket[.energy] else { continue }
            let (label, start) = label(bucket.start)
            if let last = entries.indices.last, entries[last].label == label {
                entries[last].wattHours += energy.average
                entries[last].samples += energy.count
            } else {
                entries.append(Entry(label: label, start: start, wattHours: energy.average, samples: energy.count))
            }
        }
        return entries
    }

    /// The label of the day or month that contains a moment, and its first second.
    func label(_ seconds: Int64) -> (String, Int64) {
        var parts = tm()
        var time = time_t(seconds)
        _ = zone == .utc ? gmtime_r(&time, &parts) : localtime_r(&time, &parts)
        parts.tm_sec = 0
        parts.tm_min = 0
        parts.tm_hour = 0
        if period == .month { parts.tm_mday = 1 }
        // The C library determines whether daylight saving time applies.
        parts.tm_isdst = -1
        var first = parts
        let start = zone == .utc ? timegm(&first) : mktime(&first)
        let year = padded(Int(parts.tm_year) + 1900, 4)
        let month = padded(Int(parts.tm_mon) + 1, 2)
        return (
            period == .month ? "\(year)-\(month)" : "\(year)-\(month)-\(padded(Int(parts.tm_mday), 2))", Int64(start)
        )
    }

    /// The UTC offset of this machine's time zone at a moment, in seconds.
    static func utcOffset(at seconds: Int64) -> Int {
        var parts = tm()
        var time = time_t(seconds)
        localtime_r(&time, &parts)
        return parts.tm_gmtoff
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
