// SPDX-License-Identifier: MIT

import WPLogging
public import WPModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One change that a person made to a saved total: who, when, what was there, and what came in its place.
public struct EnergyAuditEntry: Sendable, Hashable {
    /// Who changed it.
    public struct Actor: Sendable, Hashable {
        /// The numerical user id.
        public var uid: UInt32
        /// The user's name; nil when the system knows none.
        public var name: String?

        /// Creates an actor.
        public init(uid: UInt32, name: String?) {
            self.uid = uid
            self.name = name
        }
    }

    /// When it was changed, by the wall clock.
    public var time: Date
    /// The name of the operation, such as `set`.
    public var action: String
    /// Who changed it.
    public var actor: Actor
    /// The device.
    public var key: EnergyKey
    /// The total before; nil when there was none.
    public var old: EnergyTotal?
    /// The total after.
    public var new: EnergyTotal
    /// Why, in the person's own words; nil when none were given.
    public var reason: String?

    /// Creates an entry.
    public init(
        time: Date,
        action: String,
        actor: Actor,
        key: EnergyKey,
        old: EnergyTotal?,
        new: EnergyTotal,
        reason: String? = nil
    ) {
        self.time = time
        self.action = action
        self.actor = actor
        self.key = key
        self.old = old
        self.new = new
        self.reason = reason
    }

    /// The entry as a line of JSON with its line feed.
    /// - Parameter failure: why the change did not come about after all.
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
            new: Line.Total(new),
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
        var new: Total
        var reason: String?
        var failure: String?

        struct Total: Encodable {
            var joules: Double
            var wattHours: Double
            var meteredSeconds: Double
            var gapSeconds: Double

            enum CodingKeys: String, CodingKey {
                case joules
                case wattHours = "watt_hours"
                case meteredSeconds = "metered_seconds"
                case gapSeconds = "gap_seconds"
            }

            init(_ total: EnergyTotal) {
                joules = total.joules
                wattHours = total.wattHours
                meteredSeconds = total.meteredSeconds
                gapSeconds = total.gapSeconds
            }
        }
    }
}
