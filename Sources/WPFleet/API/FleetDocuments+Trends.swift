// SPDX-License-Identifier: MIT

import WPCore
import WPHistory

extension FleetDocuments {
    /// A compact summary of a subject's last day.
    struct Trend: Sendable {
        var key: Int
        /// Averages per step, nil where nothing was measured.
        var values: [Double?]
        var energy: FleetEnergy.Total?
    }

    static func trends(_ trends: [Trend], from: Int64, step: Int64, tariff: Tariff?) -> [UInt8] {
        var json = Array("{\"from\":\(from),\"step\":\(step),\"trends\":[".utf8)
        for (index, trend) in trends.enumerated() {
            let values = trend.values.map { $0.map { number($0.rounded()) } ?? "null" }.joined(separator: ",")
            json += "\(index > 0 ? "," : ""){\"key\":\(trend.key),\"values\":[\(values)]".utf8
            json += amounts(trend.energy?.day, trend.energy?.month, tariff: tariff).utf8
            json.append(UInt8(ascii: "}"))
        }
        json += "]}\n".utf8
        return json
    }

    /// The members for today and this month, each with a leading comma.
    static func amounts(_ day: Double?, _ month: Double?, tariff: Tariff?) -> String {
        [("day", day), ("month", month)].reduce(into: "") { text, part in
            guard let wattHours = part.1 else { return }
            let cost = tariff.map { ",\"cost\":\(number($0.cost(wattHours)))" } ?? ""
            text += ",\"\(part.0)\":{\"watt_hours\":\(number(wattHours))\(cost)}"
        }
    }
}
