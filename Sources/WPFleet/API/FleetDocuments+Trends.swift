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

    static func trends(_ trends: [Trend], from: Int64, step: Int64, tariff: Tariff?) -> String {
        let rows = trends.map { trend in
            let values = trend.values.map { $0.map { number($0.rounded()) } ?? "null" }.joined(separator: ",")
            let energy = amounts(day: trend.energy?.day, month: trend.energy?.month, tariff: tariff)
            return "{\"key\":\(trend.key),\"values\":[\(values)]\(energy)}"
        }
        return "{\"from\":\(from),\"step\":\(step),\"trends\":[\(rows.joined(separator: ","))]}\n"
    }

    /// The members for today and this month, each with a leading comma.
    static func amounts(day: Double?, month: Double?, tariff: Tariff?) -> String {
        let parts = [("day", day), ("month", month)].map { name, amount in
            amount.map { ",\"\(name)\":{\"watt_hours\":\(number($0))\(cost(of: $0, tariff))}" } ?? ""
        }
        return parts.joined()
    }

    /// The cost of energy in watt-hours as a member with a leading comma; empty without a tariff.
    static func cost(of wattHours: Double, _ tariff: Tariff?) -> String {
        tariff.map { ",\"cost\":\(number($0.cost(wattHours)))" } ?? ""
    }
}
