// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Times as RFC 3339, section 5.6, has them; written in UTC: `2025-06-15T15:06:40.123Z`.
package enum RFC3339 {
    /// How finely the second is divided.
    package enum Fraction: Sendable, Hashable, CaseIterable {
        /// Whole seconds.
        case seconds
        /// Three digits.
        case milliseconds
        /// Six digits.
        case microseconds
    }

    /// A moment as text.
    /// - Parameters:
    ///   - date: the moment. Outside of the years 0 to 9999 the nearest within is written; a date that is no number
    ///     counts as the epoch.
    ///   - fraction: how finely the second is divided; what is finer is dropped, not rounded.
    package static func string(_ date: Date, fraction: Fraction = .milliseconds) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(27)
        append(date, fraction: fraction, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A moment as text.
    /// - Parameter seconds: seconds since 1970, bounded as dates are.
    package static func string(secondsSince1970 seconds: Double, fraction: Fraction = .milliseconds) -> String {
        string(Date(timeIntervalSince1970: seconds), fraction: fraction)
    }

    /// Appends a moment as text; see ``string(_:fraction:)``.
    package static func append(_ date: Date, fraction: Fraction, to output: inout [UInt8]) {
        let time = CivilTime(microseconds: date.microsecondsSince1970)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 27) { text in
            guard let start = text.baseAddress else { return }
            var end = 0
            func put(_ number: Int, digits: Int, _ separator: Unicode.Scalar) {
                DecimalText.write(UInt64(truncatingIfNeeded: number), digits: digits, to: start + end)
                text[end + digits] = UInt8(ascii: separator)
                end += digits + 1
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
            output.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<end]))
        }
    }
}

extension Date {
    /// Rounded to the microsecond, which is about as finely as a date is kept, and within the years 0 to 9999.
    package var microsecondsSince1970: Int64 {
        let exact = (timeIntervalSince1970 * 1e6).rounded()
        if exact.isNaN { return 0 }
        return CivilTime.bounded(Int64(exactly: exact) ?? (exact < 0 ? .min : .max))
    }

    package init(microsecondsSince1970 microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
    }
}
