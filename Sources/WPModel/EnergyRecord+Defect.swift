// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EnergyRecord {
    /// What makes the record one that no meter can have produced, as a clause ("its energy is not a number of joules
    /// from 0 up"); nil when it is sound.
    ///
    /// Stores refuse to save a record with a defect and meters refuse to resume from one, so that a fault anywhere
    /// shows as an error and never as a wrong total.
    package var defect: String? {
        if !Self.isAmount(total.joules) { return "its energy is not a number of joules from 0 up" }
        if !(compensationJoules.magnitude <= total.joules.ulp) {
            return "its compensation is larger than the last digit of its energy"
        }
        if !Self.isAmount(total.meteredSeconds) { return "its metered time is not a number of seconds from 0 up" }
        if !Self.isAmount(total.gapSeconds) { return "its gap time is not a number of seconds from 0 up" }
        if !Self.isAmount(total.unverifiedSeconds) {
            return "its unverified time is not a number of seconds from 0 up"
        }
        guard let lastSample else { return nil }
        if !LastSample.wallRange.contains(lastSample.wall.timeIntervalSince1970) {
            return "its last sample was taken outside of the years 1678 to 2261"
        }
        if let watts = lastSample.watts, !Self.isAmount(watts) {
            return "its last power is not a number of watts from 0 up"
        }
        return nil
    }

    private static func isAmount(_ value: Double) -> Bool { value.isFinite && value >= 0 }
}

extension EnergyRecord.LastSample {
    /// The wall-clock times that a record can hold, in seconds since 1970: those that fit a signed 64-bit number of
    /// nanoseconds.
    package static var wallRange: ClosedRange<Double> { -9.2e9...9.2e9 }
}
