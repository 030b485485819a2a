// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A moment of UTC in the proleptic Gregorian calendar, for the two forms that HTTP and JSON write it in.
struct CivilTime {
    private var year: Int64
    private var month: Int
    private var day: Int
    private var weekday: Int
    private var secondOfDay: Int

    /// - Parameter unixSeconds: held to the years 1 to 9999, which is all that the forms can write.
    init(unixSeconds: Int64) {
        let seconds = min(max(unixSeconds, -62_135_596_800), 253_402_300_799)
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        secondOfDay = Int(seconds - days * 86_400)
        weekday = Int((days + 4 + 7 * 200_000) % 7)
        // Years that begin in March put the leap day at their end; 400 of them are an era of 146,097 days.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(unixSeconds: Int64(exactly: seconds) ?? (seconds > 0 ? .max : 0))
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate of RFC 9110, section 5.6.7).
    var imfFixdate: String {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(names[weekday]), \(pad(day)) \(months[month - 1]) \(paddedYear) \(clock) GMT"
    }

    /// `1994-11-06T08:49:37Z` (RFC 3339).
    var rfc3339: String {
        "\(paddedYear)-\(pad(month))-\(pad(day))T\(clock)Z"
    }

    private var clock: String {
        "\(pad(secondOfDay / 3600)):\(pad(secondOfDay / 60 % 60)):\(pad(secondOfDay % 60))"
    }

    private var paddedYear: String {
        String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
    }

    private func pad(_ number: Int) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
