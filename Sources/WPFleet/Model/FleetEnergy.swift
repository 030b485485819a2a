// SPDX-License-Identifier: MIT

import WPHistory

/// The energy of every UPS today and this month.
///
/// What a UPS used before today is read once and kept until the day ends: samples come in the order of time, so it can't
/// change after the first sample of today.
actor FleetEnergy {
    /// What a UPS used, in watt-hours; nil where nothing was measured.
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
    }

    /// The days of this month before today, by UPS. There is an entry for each whose part is complete.
    private struct Past {
        var day: Int64
        var wattHours: [HistorySubject: Double?] = [:]
    }

    private var past: [EnergyCalendar.Zone: Past] = [:]

    /// Adds up the energy of some UPSes.
    /// - Throws: What the history's store throws.
    func totals(_ entries: [Fleet.Entry], _ zone: EnergyCalendar.Zone, _ fleet: Fleet) async throws -> Totals {
        let now = Int64(fleet.now)
        let (day, today) = EnergyCalendar(period: .day, zone: zone).label(now)
        let (month, first) = EnergyCalendar(period: .month, zone: zone).label(now)
        if past[zone]?.day != today { past[zone] = Past(day: today) }
        var totals = Totals(zone: zone, day: day, month: month, devices: [])
        for entry in entries {
            let subject = entry.subject
            let before: Double?
            if let known = past[zone]?.wattHours[subject] {
                before = known
            } else {
                before = try await Self.energy(of: subject, from: first, to: today, fleet)
                // A late report may still add to it, until there is one of today.
                if entry.lastSeen >= Double(today), past[zone]?.day == today {
                    past[zone]?.wattHours[subject] = .some(before)
                }
            }
            // A UPS that was silent today is not asked for.
            let since =
                entry.lastSeen < Double(today)
                ? nil : try await Self.energy(of: subject, from: today, to: now + 1, fleet)
            let sum = before == nil && since == nil ? nil : (before ?? 0) + (since ?? 0)
            totals.devices.append(Total(subject: subject, day: since, month: sum))
        }
        return totals
    }

    private static func energy(of subject: HistorySubject, from: Int64, to: Int64, _ fleet: Fleet) async throws
        -> Double?
    {
        guard from < to else { return nil }
        // As wide as the range: only the sum counts.
        let buckets = try await fleet.history.buckets(of: subject, from: from, to: to, step: to - from)
        let parts = buckets.compactMap { $0[.energy]?.average }
        return parts.isEmpty ? nil : parts.reduce(0, +)
    }
}
