// SPDX-License-Identifier: MIT

import WPCore
import WPGzip
import WPHTTP
import WPHistory
import WPServer

/// Creates the documents of a fleet, one at a time. Called off the server's thread.
actor DocumentBuilder {
    /// Smaller documents are not worth compressing.
    private static let minimumCompressedSize = 1 << 10

    let fleet: Fleet
    private let takesReports: Bool
    private lazy var description = OpenAPI.document(takesReports: takesReports)
    let fleetEnergy: FleetEnergy
    var overview = FleetOverview()

    init(_ fleet: Fleet, takesReports: Bool) {
        self.fleet = fleet
        fleetEnergy = FleetEnergy(fleet)
        self.takesReports = takesReports
    }

    func document(_ call: FleetAPI.Call) async throws(APIError) -> FleetAPI.Document {
        let path = call.path
        if path == ["openapi.json"] {
            _ = try APIQuery(call.query, allowed: [])
            return FleetAPI.Document(bytes: description)
        }
        let cluster = fleet.configuration.cluster
        if path == ["clusters"] {
            _ = try APIQuery(call.query, allowed: [])
            return FleetAPI.Document("{\"clusters\":[{\"id\":\(JSONText.quoted(cluster))}]}\n")
        }
        guard path.count >= 3, path[0] == "clusters" else { throw .notFound("path") }
        guard path[1] == cluster else { throw .notFound("cluster") }
        if path.count == 3 {
            switch path[2] {
            case "energy": return try await fleetEnergy(call)
            case "overview": return try overview(call)
            case "trends": return try await trends(call)
            case "events": return try await events(call, of: nil)
            case "history": return try await history(call, .fleet) { _ throws(APIError) in .fleet }
            default: break
            }
        }
        let kind = try Self.kind(path[2])
        switch (path.count, kind) {
        case (3, .node):
            _ = try APIQuery(call.query, allowed: [])
            return FleetAPI.Document(FleetDocuments.nodes(fleet.entries(of: .node)))
        case (3, .ups):
            let entries = devices(try APIQuery(call.query, allowed: ["site"]))
            return FleetAPI.Document(FleetDocuments.devices(entries, cluster: cluster, tariff: fleet.tariff))
        case (4, _):
            let entry = try entry(kind, path[3], try APIQuery(call.query, allowed: kind == .ups ? ["site"] : []))
            var more = call.canRemove ? ",\"removable\":true" : ""
            // UPSes of other sites are not served by this program.
            if kind == .ups, entry.subject.site.isEmpty, let nut = call.nutAddress(entry.subject.name) {
                more += ",\"nut_name\":\(JSONText.quoted(nut.name)),\"nut_port\":\(nut.port)"
            }
            return FleetAPI.Document(FleetDocuments.subject(entry, more: more) + "\n")
        case (5, _) where path[4] == "history":
            return try await history(call, kind) { query throws(APIError) in
                try entry(kind, path[3], query).subject
            }
        case (5, _) where path[4] == "events":
            let query = try APIQuery(call.query, allowed: ["from", "to", "limit", "format", "site"])
            return try await events(call, of: try entry(kind, path[3], query).subject)
        case (5, .ups) where path[4] == "energy": return try await energy(call, of: path[3])
        default: throw .notFound("path")
        }
    }

    func remove(_ call: FleetAPI.Call) async throws(APIError) -> HTTPResponse {
        let path = call.path
        guard path.count == 4, path[0] == "clusters", path[1] == fleet.configuration.cluster else {
            throw .notFound("path")
        }
        let kind = try Self.kind(path[2])
        let query = try APIQuery(call.query, allowed: kind == .ups ? ["site"] : [])
        let subject = try entry(kind, path[3], query).subject
        do {
            _ = try await fleet.history.remove(subject)
        } catch {
            throw APIError(.serviceUnavailable, "the history cannot be changed: \(error)")
        }
        return HTTPResponse(status: HTTPStatus(code: 204), headers: ["Cache-Control": "no-store"])
    }

    /// The kind of subjects below a path component.
    private static func kind(_ component: String) throws(APIError) -> HistorySubject.Kind {
        switch component {
        case "ups": .ups
        case "node-metrics": .node
        default: throw .notFound("path")
        }
    }

    private func entry(
        _ kind: HistorySubject.Kind,
        _ name: String,
        _ query: APIQuery
    ) throws(APIError) -> Fleet.Entry {
        let entries = fleet.entries(of: kind, named: name, site: query.text("site"))
        guard let entry = entries.first else { throw .notFound(kind == .node ? "node" : "device") }
        guard entries.count == 1 else {
            throw APIError(HTTPStatus(code: 409), "several sites have this device: name one with site")
        }
        return entry
    }

    private func devices(_ query: APIQuery) -> [Fleet.Entry] {
        guard let site = query.text("site").map(ByteString.init) else { return fleet.entries(of: .ups) }
        return fleet.entries(of: .ups).filter { ByteString($0.subject.site) == site }
    }

    /// The length of a bucket, in seconds.
    var interval: Int64 { max(1, fleet.history.configuration.interval.components.seconds) }

    var now: Int64 { Int64(fleet.now) }

    private func history(
        _ call: FleetAPI.Call,
        _ kind: HistorySubject.Kind,
        _ find: (APIQuery) throws(APIError) -> HistorySubject
    ) async throws(APIError) -> FleetAPI.Document {
        let allowed: Set<String> = ["from", "to", "step", "hours", "format"]
        let query = try APIQuery(call.query, allowed: kind == .ups ? allowed.union(["site"]) : allowed)
        let range = try HistoryRange(query, now: now, interval: interval)
        let format = try call.format(query)
        let subject = try find(query)
        let buckets = try await buckets(of: subject, range)
        if format == .csv {
            let table = FleetDocuments.table(buckets, of: kind)
            return FleetAPI.Document(bytes: table, format: .csv, fileName: "history.csv")
        }
        let name = JSONText.quoted(subject.name)
        let own =
            switch kind {
            case .node: "\"node_name\":\(name),\"hours\":\(range.hours),"
            case .ups: "\"device\":\(name),\"site\":\(JSONText.quoted(subject.site)),"
            case .fleet: ""
            }
        let head =
            "{\(own)\"from\":\"\(FleetDocuments.time(range.from))\",\"to\":\"\(FleetDocuments.time(range.to))\","
            + "\"step\":\(range.step),\"interval\":\(interval),\"points\":\(buckets.count),\"history\":"
        let points = FleetDocuments.points(buckets, members: kind == .node ? ",\"node_name\":\(name)" : "")
        return FleetAPI.Document(bytes: Array(head.utf8) + points + "}\n".utf8)
    }

    /// The energy of all UPSes today and this month.
    private func fleetEnergy(_ call: FleetAPI.Call) async throws(APIError) -> FleetAPI.Document {
        let query = try APIQuery(call.query, allowed: ["site", "zone", "list"])
        let zone = try query.choice("zone", EnergyCalendar.Zone.self) ?? .local
        let totals = try await totals(of: devices(query), zone)
        let isListed = query.text("list") != "false"
        return FleetAPI.Document(FleetDocuments.energy(totals, isListed: isListed, tariff: fleet.tariff))
    }

    /// The energy of a UPS by days or months.
    private func energy(_ call: FleetAPI.Call, of name: String) async throws(APIError) -> FleetAPI.Document {
        let query = try APIQuery(call.query, allowed: ["from", "to", "period", "zone", "site", "format"])
        let calendar = EnergyCalendar(
            period: try query.choice("period", EnergyCalendar.Period.self) ?? .day,
            zone: try query.choice("zone", EnergyCalendar.Zone.self) ?? .local
        )
        let retention = fleet.history.configuration.retention.components.seconds
        let range = try HistoryRange(query, now: now, interval: interval, defaultSpan: retention)
        let format = try call.format(query)
        let subject = try entry(.ups, name, query).subject
        // Days begin at a multiple of 15 minutes in every time zone.
        var quarters = range
        quarters.step = max(interval, 900 / interval * interval)
        // The first day is complete unless the request specifies a start.
        if query.text("from") == nil {
            quarters.from = EnergyCalendar(period: .day, zone: calendar.zone).label(range.from).1
        }
        let entries = calendar.entries(try await buckets(of: subject, quarters))
        if format == .csv {
            let table = FleetDocuments.energyTable(entries, calendar, tariff: fleet.tariff)
            return FleetAPI.Document(table, format: .csv, fileName: "energy.csv")
        }
        return FleetAPI.Document(FleetDocuments.energy(entries, of: subject, calendar, tariff: fleet.tariff))
    }

    func totals(of entries: [Fleet.Entry], _ zone: EnergyCalendar.Zone) async throws(APIError) -> FleetEnergy.Totals {
        do {
            return try await fleetEnergy.totals(of: entries, zone: zone)
        } catch {
            throw Self.unreadable(error)
        }
    }

    func buckets(of subject: HistorySubject, _ range: HistoryRange) async throws(APIError) -> [HistoryBucket] {
        do {
            return try await fleet.history.buckets(of: subject, from: range.from, to: range.to, step: range.step)
        } catch {
            throw Self.unreadable(error)
        }
    }

    static func unreadable(_ error: any Error) -> APIError {
        APIError(.serviceUnavailable, "the history cannot be read: \(error)")
    }

    func response(_ document: FleetAPI.Document, to request: HTTPRequest) throws(APIError) -> HTTPResponse {
        let acceptsGzip =
            document.bytes.count >= Self.minimumCompressedSize
            && AcceptEncoding.acceptsGzip(request.headers.values(of: "Accept-Encoding"))
        // Each encoding is a separate representation with its own strong entity tag.
        let tag = "\"\(EntityTag.content(of: document.bytes))\(acceptsGzip ? "-gzip" : "")\""
        var headers: HTTPFields = [
            "Content-Type": document.format == .csv ? "text/csv; charset=utf-8; header=present" : "application/json",
            "Cache-Control": "no-cache", "ETag": tag, "Vary": "Accept, Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        ]
        if let name = document.fileName {
            headers.append(name: "Content-Disposition", value: "attachment; filename=\"\(name)\"")
        }
        if EntityTag.matches(tag, request.headers) {
            return HTTPResponse(status: HTTPStatus(code: 304), headers: headers)
        }
        if acceptsGzip {
            // lint: zlib may be out of memory; the document is sent uncompressed
            guard let compressed = try? Gzip.compress(document.bytes, level: 1) else {
                throw APIError(.internalServerError, "the answer cannot be compressed")
            }
            headers.append(name: "Content-Encoding", value: "gzip")
            return HTTPResponse(headers: headers, body: .bytes(compressed))
        }
        return HTTPResponse(headers: headers, body: .bytes(document.bytes))
    }
}
