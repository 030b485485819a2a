// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPHistory

/// The documents for the page's overview.
extension DocumentBuilder {
    /// The maximum number of subjects per trends request, and the minimum duration of a point, in seconds.
    private static let (maxTrends, trendStep): (Int, Int64) = (100, 1800)
    private static let day: Int64 = 86_400

    /// The overview rows of all UPSes and nodes, or only the changed ones.
    func overview(_ call: FleetAPI.Call) throws(APIError) -> FleetAPI.Document {
        let query = try APIQuery(call.query, allowed: ["epoch", "since"])
        let since = try query.integer("since", 0...999_999_999)
        overview.update(fleet.entries(of: .ups) + fleet.entries(of: .node))
        let now = now
        let tariff = FleetDocuments.members(fleet.tariff)
        let head = "\"time\":\(now),\"utc_offset\":\(EnergyCalendar.utcOffset(at: now))\(tariff),"
        let asked = query.text("epoch").flatMap { epoch in since.map { (epoch: epoch, revision: $0) } }
        return FleetAPI.Document(overview.document(since: asked, head: head))
    }

    /// The trends of the requested subjects over the last day.
    func trends(_ call: FleetAPI.Call) async throws(APIError) -> FleetAPI.Document {
        let query = try APIQuery(call.query, allowed: ["epoch", "keys", "zone"])
        let zone = try query.choice("zone", EnergyCalendar.Zone.self) ?? .local
        guard query.text("epoch") == overview.epoch else {
            throw APIError(HTTPStatus(code: 409), "these keys belong to an earlier overview: request a new one")
        }
        let parts = (query.text("keys") ?? "").split(separator: ",", maxSplits: Self.maxTrends)
        let keys = parts.compactMap { Int($0) }
        guard keys.count == parts.count, (1...Self.maxTrends).contains(keys.count) else {
            throw .badRequest("keys must be 1 to \(Self.maxTrends) keys of the overview, separated by commas")
        }
        let step = max(interval, Self.trendStep / interval * interval)
        let to = now + 1
        let from = HistoryBucket.start(of: to - Self.day, step: step) + step
        var trends: [FleetDocuments.Trend] = []
        for key in keys {
            // Skips subjects removed in the meantime.
            guard let subject = overview.subject(of: key) else { continue }
            let quantity = subject.kind == .ups ? HistoryQuantity.loadWatts : .cpuUsage
            var values = [Double?](repeating: nil, count: Int((to - from + step - 1) / step))
            for bucket in try await buckets(of: subject, HistoryRange(from: from, to: to, step: step)) {
                let index = Int((bucket.start - from) / step)
                if values.indices.contains(index) { values[index] = bucket[quantity]?.average }
            }
            var trend = FleetDocuments.Trend(key: key, values: values)
            if subject.kind == .ups {
                let entries = fleet.entries(of: .ups, named: subject.name, site: subject.site)
                trend.energy = try await totals(of: entries, zone).devices.first
            }
            trends.append(trend)
        }
        return FleetAPI.Document(FleetDocuments.trends(trends, from: from, step: step, tariff: fleet.tariff))
    }

    /// Events of one subject, or of all.
    func events(_ call: FleetAPI.Call, of subject: HistorySubject?) async throws(APIError) -> FleetAPI.Document {
        let query = try APIQuery(call.query, allowed: ["from", "to", "limit", "format", "site"])
        let to = try query.time("to") ?? now + 1
        let from = try query.time("from") ?? max(0, to - fleet.history.configuration.retention.components.seconds)
        guard from < to else { throw .badRequest("from must be before to") }
        let limit = try query.integer("limit", 1...10_000) ?? 1000
        let events: [HistoryEvent]
        do {
            events = try await fleet.history.events(HistoryEventQuery(of: subject, from: from, to: to, limit: limit))
        } catch {
            throw Self.unreadable(error)
        }
        if try call.format(query) == .csv {
            return FleetAPI.Document(FleetDocuments.table(events), format: .csv, fileName: "events.csv")
        }
        return FleetAPI.Document(
            "{\"from\":\"\(FleetDocuments.time(from))\",\"to\":\"\(FleetDocuments.time(to))\","
                + "\"events\":[\(events.map(FleetDocuments.line).joined(separator: ","))]}\n"
        )
    }
}
