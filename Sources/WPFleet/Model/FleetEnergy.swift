// SPDX-License-Identifier: MIT

import WPCore
import WPHistory
import WPModel

/// The energy of every UPS today and this month.
///
/// The energy before today is reread after a minute: delayed reports, or another hub, may still add to it.
actor FleetEnergy {
    /// The energy of a UPS, in watt-hours; nil where nothing was measured.
    struct Total: Sendable, Hashable {
        var subject: HistorySubject
        var day: Double?
        /// Includes ``day``.
        var month: Double?
    }

    struct Totals: Sendable, Hashable {
        var zone: EnergyCalendar.Zone
        /// `2026-01-31`
        var day: String
        /// `2026-01`
        var month: String
        var devices: [Total]

        /// The totals of all UPSes; nil where nothing was measured.
        var sum: (day: Double?, month: Double?) {
            func sum(_ parts: [Double]) -> Double? { parts.isEmpty ? nil : parts.reduce(0, +) }
            return (sum(devices.compactMap(\.day)), sum(devices.compactMap(\.month)))
        }
    }

    /// How long the energy of the previous days is cached.
    private static let cacheLifetime = Duration.seconds(60)

    /// The energy of this month before today, by UPS, and the monotonic time at which it was read.
    private struct PreviousDays {
        var day: Int64
        var wattHours: [HistorySubject: (value: Double?, read: Duration)] = [:]
    }

    private let fleet: Fleet
    private var previousDays: [EnergyCalendar.Zone: PreviousDays] = [:]

    init(_ fleet: Fleet) {
        self.fleet = fleet
    }

    /// Computes the energy of some UPSes.
    /// - Throws: the error of the history's store.
    func totals(of entries: [Fleet.Entry], zone: EnergyCalendar.Zone) async throws -> Totals {
        let moment = fleet.moment
        let now = Int64(moment.secondsSince1970)
        let (day, today) = EnergyCalendar(period: .day, zone: zone).label(now)
        let (month, first) = EnergyCalendar(period: .month, zone: zone).label(now)
        if previousDays[zone]?.day != today { previousDays[zone] = PreviousDays(day: today) }
        var totals = Totals(zone: zone, day: day, month: month, devices: [])
        for entry in entries {
            let subject = entry.subject
            let before: Double?
            if let known = previousDays[zone]?.wattHours[subject], moment.monotonic - known.read < Self.cacheLifetime {
                before = known.value
            } else {
                before = try await energy(of: subject, from: first, to: today)
                // Late reports are likely until today's first report arrives.
                if entry.lastSeen >= Double(today), previousDays[zone]?.day == today {
                    previousDays[zone]?.wattHours[subject] = (before, moment.monotonic)
                }
            }
            let since = try await energy(of: subject, from: today, to: now + 1)
            let sum = before == nil && since == nil ? nil : (before ?? 0) + (since ?? 0)
            totals.devices.append(Total(subject: subject, day: since, month: sum))
        }
        return totals
    }

    private func energy(of subject: HistorySubject, from: Int64, to: Int64) async throws -> Double? {
        guard from < to else { return nil }
        // A single bucket for the whole range: only the sum matters.
        let buckets = try await fleet.history.buckets(of: subject, from: from, to: to, step: to - from)
        let parts = buckets.compactMap { $0[.energy]?.average }
        return parts.isEmpty ? nil : parts.reduce(0, +)
    }
}
