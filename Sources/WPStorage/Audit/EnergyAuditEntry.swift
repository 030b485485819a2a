// SPDX-License-Identifier: MIT

import WPCore
package import WPModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A manual change of a saved total: who, when, the old value and the new one.
package struct EnergyAuditEntry: Sendable, Hashable {
    /// Who changed it.
    package struct Actor: Sendable, Hashable {
        /// The user ID.
        package var uid: UInt32
        /// The user's name; nil if unknown.
        package var name: String?

        /// Creates an actor.
        package init(uid: UInt32, name: String?) {
            self.uid = uid
            self.name = name
        }
    }

    /// The wall-clock time of the change.
    package var time: Date
    /// The name of the operation, such as `set`.
    package var action: String
    /// Who changed it.
    package var actor: Actor
    /// The device.
    package var key: EnergyKey
    /// The total before; nil if there was none.
    package var old: EnergyTotal?
    /// The total after; nil if the device was removed.
    package var new: EnergyTotal?
    /// The device that the total was moved to or from; nil if it was not moved.
    package var other: DeviceID?
    /// The reason as given by the user; nil if none was given.
    package var reason: String?

    /// Creates an entry.
    package init(
        time: Date,
        action: String,
        actor: Actor,
        key: EnergyKey,
        old: EnergyTotal?,
        new: EnergyTotal?,
        other: DeviceID? = nil,
        reason: String? = nil
    ) {
        self.time = time
        self.action = action
        self.actor = actor
        self.key = key
        self.old = old
        self.new = new
        self.other = other
        self.reason = reason
    }

    /// The entry as a line of JSON with its line feed.
    /// - Parameter failure: why the change failed.
    func line(failure: String? = nil) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Line(
            time: RFC3339.string(time),
            action: action,
            uid: actor.uid,
            user: actor.name,
            source: key.source.rawValue,
            device: key.device.rawValue,
            old: old.map(Line.Total.init),
            new: new.map(Line.Total.init),
            otherDevice: other?.rawValue,
            reason: reason,
            failure: failure
        )
        return [UInt8](try encoder.encode(line)) + [UInt8(ascii: "\n")]
    }

    private struct Line: Encodable {
        var time: String
        var action: String
        var uid: UInt32
        var user: String?
        var source: String
        var device: String
        var old: Total?
        var new: Total?
        var otherDevice: String?
        var reason: String?
        var failure: String?

        enum CodingKeys: String, CodingKey {
            case time, action, uid, user, source, device, old, new, reason, failure
            case otherDevice = "other_device"
        }

        struct Total: Encodable {
            var joules: Double
            var wattHours: Double
            var meteredSeconds: Double
            var gapSeconds: Double
            var unverifiedSeconds: Double?

            enum CodingKeys: String, CodingKey {
                case joules
                case wattHours = "watt_hours"
                case meteredSeconds = "metered_seconds"
                case gapSeconds = "gap_seconds"
                case unverifiedSeconds = "unverified_seconds"
            }

            init(_ total: EnergyTotal) {
                joules = total.joules
                wattHours = total.wattHours
                meteredSeconds = total.meteredSeconds
                gapSeconds = total.gapSeconds
                unverifiedSeconds = total.unverifiedSeconds == 0 ? nil : total.unverifiedSeconds
            }
        }
    }
}
