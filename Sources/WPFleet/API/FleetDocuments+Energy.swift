// SPDX-License-Identifier: MIT

import WPCore
import WPHistory

extension FleetDocuments {
    /// The energy of a UPS per day or month.
    static func energy(
        _ entries: [EnergyCalendar.Entry],
        of subject: HistorySubject,
        _ calendar: EnergyCalendar,
        tariff: Tariff?
    ) -> String {
        let rows = entries.map { entry in
            "{\"\(calendar.period.rawValue)\":\"\(entry.label)\",\"start\":\"\(time(entry.start))\","
                + "\"watt_hours\":\(number(entry.wattHours))\(cost(of: entry.wattHours, tariff)),"
                + "\"samples\":\(entry.samples)}"
        }
        // The time zone of the days is part of the document.
        let offset = entries.last.map { EnergyCalendar.utcOffset(at: $0.start) } ?? 0
        return "{\"device\":\(JSONText.quoted(subject.name)),\"site\":\(JSONText.quoted(subject.site)),"
            + "\"period\":\"\(calendar.period.rawValue)\",\"zone\":\"\(calendar.zone.rawValue)\","
            + "\"utc_offset\":\(offset)\(members(tariff)),\"energy\":[\(rows.joined(separator: ","))]}\n"
    }

    static func energyTable(
        _ entries: [EnergyCalendar.Entry],
        _ calendar: EnergyCalendar,
        tariff: Tariff?
    ) -> String {
        var csv = "\(calendar.period.rawValue),start,watt_hours,cost,samples\r\n"
        for entry in entries {
            let cost = tariff.map { number($0.cost(entry.wattHours)) } ?? ""
            csv += "\(entry.label),\(time(entry.start)),\(number(entry.wattHours)),\(cost),\(entry.samples)\r\n"
        }
        return csv
    }

    /// The energy of all UPSes today and this month; unknown values are omitted.
    /// - Parameter isListed: whether the energy of each UPS is included.
    static func energy(_ totals: FleetEnergy.Totals, isListed: Bool, tariff: Tariff?) -> String {
        let sum = totals.sum
        let total = amounts(day: sum.day, month: sum.month, tariff: tariff)
        let rows = (isListed ? totals.devices : []).map { device in
            "{\"device\":\(JSONText.quoted(device.subject.name)),\"site\":\(JSONText.quoted(device.subject.site))"
                + "\(amounts(day: device.day, month: device.month, tariff: tariff))}"
        }
        return "{\"zone\":\"\(totals.zone.rawValue)\",\"day\":\"\(totals.day)\",\"month\":\"\(totals.month)\""
            + members(tariff) + (total.isEmpty ? "" : ",\"total\":{\(total.dropFirst())}")
            + ",\"energy\":[\(rows.joined(separator: ","))]}\n"
    }
}
