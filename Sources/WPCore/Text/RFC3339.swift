// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Times in the format of RFC 3339, section 5.6, written in UTC: `2025-06-15T15:06:40.123Z`.
package enum RFC3339 {
    /// The precision of a formatted time.
    package enum Fraction: Sendable, Hashable, CaseIterable {
        /// Whole seconds.
        case seconds
        /// Three decimals.
        case milliseconds
        /// Six decimals.
        case microseconds
    }

    /// Formats a time.
    /// - Parameters:
    ///   - date: the time, clamped to the years 0 to 9999; NaN counts as the epoch.
    ///   - fraction: the precision; further decimals are truncated.
    package static func string(_ date: Date, fraction: Fraction = .milliseconds) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(27)
        append(date, fraction: fraction, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Formats a time.
    /// - Parameter seconds: seconds since 1970, clamped like dates.
    package static func string(secondsSince1970 seconds: Double, fraction: Fraction = .milliseconds) -> String {
        string(Date(timeIntervalSince1970: seconds), fraction: fraction)
    }

    /// Appends a formatted time; see ``string(_:fraction:)``.
    package static func append(_ date: Date, fraction: Fraction, to output: inout [UInt8]) {
        append(CivilTime(microseconds: date.microsecondsSince1970), fraction: fraction, to: &output)
    }

    /// Appends a formatted time.
    package static func append(_ time: CivilTime, fraction: Fraction, to output: inout [UInt8]) {
        func put(_ number: Int, digits: Int, _ separator: Unicode.Scalar) {
            output.appendDecimal(number, digits: digits)
            output.append(UInt8(ascii: separator))
        }
        put(time.year, digits: 4, "-")
        put(time.month, digits: 2, "-")
        put(time.day, digits: 2, "T")
        put(time.hour, digits: 2, ":")
        put(time.minute, digits: 2, ":")
        put(time.second, digits: 2, fraction == .seconds ? "Z" : ".")
        switch fraction {
        case .seconds: break
        case .milliseconds: put(time.microsecond / 1000, digits: 3, "Z")
        case .microseconds: put(time.microsecond, digits: 6, "Z")
        }
    }
}

extension Date {
    /// Rounded to microseconds, about the precision of a date, and clamped to the years 0 to 9999.
    package var microsecondsSince1970: Int64 {
        let exact = (timeIntervalSince1970 * 1e6).rounded()
        if exact.isNaN { return 0 }
        return CivilTime.bounded(Int64(exactly: exact) ?? (exact < 0 ? .min : .max))
    }

    package init(microsecondsSince1970 microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
    }
}
