// SPDX-License-Identifier: MIT

import WPCore
import WPHistory

extension FleetDocuments {
    /// The energy per day or month.
    static func energy(
        _ entries: [EnergyCalendar.Entry],
        _ calendar: EnergyCalendar,
        tariff: Tariff?,
        head: [UInt8]
    ) -> [UInt8] {
        var json = Array("{".utf8)
        json += head
        json += "\"period\":\"\(calendar.period.rawValue)\",\"zone\":\"\(calendar.zone.rawValue)\"".utf8
        // The time zone of the days is part of the document.
        json += ",\"utc_offset\":\(entries.last.map { EnergyCalendar.utcOffset(at: $0.start) } ?? 0)".utf8
        if let tariff { json += ",\(tariff.members)".utf8 }
        let rows = entries.map { entry in
            let cost = tariff.map { ",\"cost\":\(number($0.cost(entry.wattHours)))" } ?? ""
            return "{\"\(calendar.period.rawValue)\":\"\(entry.label)\",\"start\":\"\(time(entry.start))\","
                + "\"watt_hours\":\(number(entry.wattHours))\(cost),\"samples\":\(entry.samples)}"
        }
        json += ",\"energy\":[\(rows.joined(separator: ","))]}\n".utf8
        return json
    }

    static func energyTable(
        _ entries: [EnergyCalendar.Entry],
        _ calendar: EnergyCalendar,
        tariff: Tariff?
    ) -> [UInt8] {
        var csv = "\(calendar.period.rawValue),start,watt_hours,cost,samples\r\n"
        for entry in entries {
            let cost = tariff.map { number($0.cost(entry.wattHours)) } ?? ""
            csv += "\(entry.label),\(time(entry.start)),\(number(entry.wattHours)),\(cost),\(entry.samples)\r\n"
        }
        return Array(csv.utf8)
    }

    /// The energy of each UPS today and this month; unknown values are omitted.
    static func energy(
        _ totals: FleetEnergy.Totals,
        _ sum: (day: Double?, month: Double?),
        tariff: Tariff?
    ) -> [UInt8] {
        var json = Array(
            "{\"zone\":\"\(totals.zone.rawValue)\",\"day\":\"\(totals.day)\",\"month\":\"\(totals.month)\"".utf8
        )
        if let tariff { json += ",\(tariff.members)".utf8 }
        let total = amounts(sum.day, sum.month, tariff: tariff)
        if !total.isEmpty { json += ",\"total\":{\(total.dropFirst())}".utf8 }
        json += ",\"energy\":[".utf8
        for (index, total) in totals.devices.enumerated() {
            json += (index > 0 ? ",{\"device\":" : "{\"device\":").utf8
            json.appendQuoted(total.subject.name)
            json += ",\"site\":".utf8
            json.appendQuoted(total.subject.site)
            json += amounts(total.day, total.month, tariff: tariff).utf8
            json.append(UInt8(ascii: "}"))
        }
        json += "]}\n".utf8
        return json
    }
}
