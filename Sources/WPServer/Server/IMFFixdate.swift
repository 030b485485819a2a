// SPDX-License-Identifier: MIT

import WPCore

/// The HTTP date format: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
enum IMFFixdate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter unixSeconds: clamped to the years 1 to 9999.
    static func string(unixSeconds: Int64) -> String {
        let seconds = min(max(unixSeconds, -62_135_596_800), 253_402_300_799)
        let date = RFC3339.string(secondsSince1970: Double(seconds), fraction: .seconds)
        let parts = date.split { "-T:Z".contains($0) }
        guard parts.count == 6, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
        // The epoch was a Thursday; the added weeks keep the dividend positive.
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let weekday = weekdays[Int((days + 4 + 7 * 200_000) % 7)]
        return "\(weekday), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
    }
}

/// The value of the Date header, updated once per second. Not thread-safe.
final class DateField {
    private var second = Double.nan
    private var text = ""

    /// - Parameter secondsSince1970: the wall-clock time.
    func text(at secondsSince1970: Double) -> String {
        let now = secondsSince1970.rounded(.down)
        if now != second {
            second = now
            text = IMFFixdate.string(unixSeconds: Int64(min(max(now, -1e15), 1e15)))
        }
        return text
    }
}
