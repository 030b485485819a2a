// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EnergyRecord {
    /// Why the record is invalid, as a clause ("its last power is not a valid number of watts"); nil if it is valid.
    ///
    /// Stores reject invalid records and meters do not resume from them, so that corruption causes an error and not a
    /// wrong total.
    package var defect: String? {
        if !Self.isAmount(total.joules) || total.joules > EnergyTotal.largestJoules {
            return "its energy is not a number of joules from 0 to 3.6e18"
        }
        if !(compensationJoules.magnitude <= total.joules.ulp) {
            return "its compensation is larger than the last digit of its energy"
        }
        for (name, seconds) in [
            ("metered", total.meteredSeconds), ("gap", total.gapSeconds), ("unverified", total.unverifiedSeconds),
        ] where !Self.isAmount(seconds) || seconds > EnergyTotal.largestSeconds {
            return "its \(name) time is not a number of seconds from 0 to 1e12"
        }
        guard let lastSample else { return nil }
        if !LastSample.wallRange.contains(lastSample.wall.timeIntervalSince1970) {
            return "its last sample was taken outside of the years 1678 to 2261"
        }
        if let watts = lastSample.watts, !Self.isAmount(watts) {
            return "its last power is not a valid number of watts"
        }
        return nil
    }

    /// Why the device identifier is invalid; nil if it is valid. Imported totals are checked.
    package var identifierDefect: String? {
        let id = key.device.rawValue
        if id.unicodeScalars.allSatisfy(\.properties.isWhitespace) { return "its identifier is empty" }
        if id.utf8.count > DeviceID.largestSize { return "its identifier has more than \(DeviceID.largestSize) bytes" }
        return nil
    }

    private static func isAmount(_ value: Double) -> Bool { value.isFinite && value >= 0 }
}

extension EnergyTotal {
    /// The maximum energy of a device, in joules: one petawatt-hour. Metering, corrections, imports and adoption
    /// enforce it.
    package static let largestJoules = 3.6e18
    /// The maximum metered, gap and unverified time of a device, in seconds each: thirty thousand years.
    package static let largestSeconds = 1e12
}

extension DeviceID {
    /// The maximum size of an identifier, in bytes. Longer ones are rejected, not truncated, because two truncated ones
    /// could collide.
    package static let largestSize = 256
}

extension EnergyRecord.LastSample {
    /// The wall-clock times that a record can store, in seconds since 1970: those that fit in a signed 64-bit number of
    /// nanoseconds.
    package static var wallRange: ClosedRange<Double> { -9.2e9...9.2e9 }
}
