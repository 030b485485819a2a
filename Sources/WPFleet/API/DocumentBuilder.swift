// SPDX-License-Identifier: MIT

import WPCore
import WPGzip
import WPHTTP
import WPHistory
import WPServer

/// Creates documents, one at a time. Called off the server's thread.
actor DocumentBuilder {
    /// Smaller documents are not worth compressing.
    private static let leastToCompress = 1 << 10

    private let description: [UInt8]
    let fleetEnergy = FleetEnergy()
    var overview = FleetOverview()

    init(takesReports: Bool) {
        description = OpenAPI.document(takesReports: takesReports)
    }

    func document(_ call: FleetAPI.Call, _ fleet: Fleet) async throws(APIError) -> FleetAPI.Document {
        let path = call.path
        if path == ["openapi.json"] {
            _ = try APIQuery(call.query, allowed: [])
            return FleetAPI.Document(bytes: description)
        }
        let cluster = fleet.configuration.cluster
        if path == ["clusters"] {
            _ = try APIQuery(call.query, allowed: [])
            return FleetAPI.Document(bytes: Array("{\"clusters\":[{\"id\":\(JSONText.quoted(cluster))}]}\n".utf8))
        }
        guard path.count >= 3, path[0] == "clusters" else { throw .notFound("path") }
        guard path[1] == cluster else { throw .notFound("cluster") }
        if path.count == 3 {
            switch path[2] {
            case "energy": return try await energy(call, fleet)
            case "overview": return try overview(call, fleet)
            case "trends": return try await trends(call, fleet)
            case "events": return try await events(call, of: nil, fleet)
            case "history": return try await history(call, .fleet, fleet) { _ throws(APIError) in .fleet }
            default: break
            }
        }
        let kind: HistorySubject.Kind
        switch path[2] {
        case "ups": kind = .ups
        case "node-metrics": kind = .node
        default: throw .notFound("path")
        }
        switch (path.count, kind) {
        case (3, .node):
            _ = try APIQuery(call.query, allowed: [])
            return FleetAPI.Document(bytes: FleetDocuments.nodes(fleet.entries(of: .node), cluster: cluster))
        case (3, .ups):
            let query = try APIQuery(call.query, allowed: ["site"])
            let entries = devices(query, fleet)
            let tariff = fleet.tariff
            return FleetAPI.Document(bytes: FleetDocuments.devices(entries, cluster: cluster, tariff: tariff))
        case (4, _):
            let query = try APIQuery(call.query, allowed: kind == .ups ? ["site"] : [])
            let entry = try entry(kind, path[3], query, fleet)
            // UPSes of other sites are not served by this program.
            let nut = kind == .ups && entry.subject.site.isEmpty ? call.nutAddress(entry.subject.name) : nil
            return FleetAPI.Document(
                bytes: FleetDocuments.subject(entry, cluster: cluster, isRemovable: call.canRemove, nut: nut)
            )
        case (5, _) where path[4] == "history":
            return try await history(call, kind, fleet) { query throws(APIError) in
                try entry(kind, path[3], query, fleet).subject
            }
        case (5, _) where path[4] == "events":
            let query = try APIQuery(call.query, allowed: ["from", "to", "limit", "format", "site"])
            return try await events(call, of: try entry(kind, path[3], query, fleet).subject, fleet)
        case (5, .ups) where path[4] == "energy": return try await energy(call, path[3], fleet)
        default: throw .notFound("path")
        }
    }

    func remove(_ call: FleetAPI.Call, _ fleet: Fleet) async throws(APIError) -> HTTPResponse {
        let path = call.path
        guard path.count == 4, path[0] == "clusters", path[1] == fleet.configuration.cluster else {
            throw .notFound("path")
        }
        let kind: HistorySubject.Kind
        switch path[2] {
        case "ups": kind = .ups
        case "node-metrics": kind = .node
        default: throw .notFound("path")
        }
        let query = try APIQuery(call.query, allowed: kind == .ups ? ["site"] : [])
        let subject = try entry(kind, path[3], query, fleet).subject
        do {
            _ = try await fleet.history.remove(subject)
        } catch {
            throw APIError(.serviceUnavailable, "the history can't be changed: \(error)")
        }
        return HTTPResponse(status: HTTPStatus(code: 204), headers: ["Cache-Control": "no-store"])
    }

    private func entry(
        _ kind: HistorySubject.Kind,
        _ name: String,
        _ query: APIQuery,
        _ fleet: Fleet
    ) throws(APIError) -> Fleet.Entry {
        let entries = fleet.entries(of: kind, named: name, site: query.text("site"))
        guard let entry = entries.first else { throw .notFound(kind == .node ? "node" : "device") }
        guard entries.count == 1 else {
            throw APIError(HTTPStatus(code: 409), "several sites have this device: name one with site")
        }
        return entry
    }

    private func history(
        _ call: FleetAPI.Call,
        _ kind: HistorySubject.Kind,
        _ fleet: Fleet,
        _ find: (APIQuery) throws(APIError) -> HistorySubject
    ) async throws(APIError) -> FleetAPI.Document {
        let allowed: Set<String> = ["from", "to", "step", "hours", "format"]
        let query = try APIQuery(call.query, allowed: kind == .ups ? allowed.union(["site"]) : allowed)
        let interval = max(1, fleet.history.configuration.interval.components.seconds)
        let range = try HistoryRange(query, now: Int64(fleet.now), interval: interval)
        let format = try call.format(query)
        let subject = try find(query)
        if format == .csv {
            return FleetAPI.Document(
                bytes: FleetDocuments.table(try await buckets(of: subject, range, fleet), of: kind),
                format: .csv,
                fileName: "history.csv"
            )
        }
        var head: [UInt8] = []
        switch kind {
        case .node:
            head += "\"node_name\":".utf8
            head.appendQuoted(subject.name)
            head += ",\"hours\":\(range.hours),".utf8
        case .ups:
            head += "\"device\":".utf8
            head.appendQuoted(subject.name)
            head += ",\"site\":".utf8
            head.appendQuoted(subject.site)
            head.append(UInt8(ascii: ","))
        case .fleet: break
        }
        head += "\"from\":\"\(FleetDocuments.time(range.from))\",\"to\":\"\(FleetDocuments.time(range.to))\",".utf8
        head += "\"step\":\(range.step),\"interval\":\(interval),".utf8
        // Points are encoded while they are read.
        let points = PointList(
            head: head,
            subject: subject,
            expected: (range.to - range.from) / max(range.step, interval)
        )
        do {
            try await fleet.history.read(
                of: subject,
                from: range.from,
                to: range.to,
                step: range.step,
                into: points
            )
        } catch {
            throw Self.unreadable(error)
        }
        return FleetAPI.Document(bytes: points.document())
    }

    /// The energy of every UPS today and this month.
    private func energy(_ call: FleetAPI.Call, _ fleet: Fleet) async throws(APIError) -> FleetAPI.Document {
        let query = try APIQuery(call.query, allowed: ["site", "zone", "list"])
        let zone = try query.choice("zone", EnergyCalendar.Zone.self) ?? .local
        let entries = devices(query, fleet)
        do {
            var totals = try await fleetEnergy.totals(entries, zone, fleet)
            let sum = totals.sum
            if query.text("list") == "false" { totals.devices = [] }
            return FleetAPI.Document(bytes: FleetDocuments.energy(totals, sum, tariff: fleet.tariff))
        } catch {
            throw Self.unreadable(error)
        }
    }

    private func devices(_ query: APIQuery, _ fleet: Fleet) -> [Fleet.Entry] {
        guard let site = query.text("site").map(ByteString.init) else { return fleet.entries(of: .ups) }
        return fleet.entries(of: .ups).filter { ByteString($0.subject.site) == site }
    }

    static func unreadable(_ error: any Error) -> APIError {
        APIError(.serviceUnavailable, "the history can't be read: \(error)")
    }

    private func energy(_ call: FleetAPI.Call, _ name: String, _ fleet: Fleet) async throws(APIError)
        -> FleetAPI.Document
    {
        let query = try APIQuery(call.query, allowed: ["from", "to", "period", "zone", "site", "format"])
        let calendar = EnergyCalendar(
            period: try query.choice("period", EnergyCalendar.Period.self) ?? .day,
            zone: try query.choice("zone", EnergyCalendar.Zone.self) ?? .local
        )
        let interval = max(1, fleet.history.configuration.interval.components.seconds)
        let retention = fleet.history.configuration.retention.components.seconds
        let range = try HistoryRange(query, now: Int64(fleet.now), interval: interval, defaultSpan: retention)
        let format = try call.format(query)
        let subject = try entry(.ups, name, query, fleet).subject
        // Days begin at a multiple of 15 minutes in every time zone.
        var quarters = range
        quarters.step = max(interval, 900 / interval * interval)
        // The first day is complete unless the request specifies a start.
        if query.text("from") == nil {
            quarters.from = EnergyCalendar(period: .day, zone: calendar.zone).label(range.from).1
        }
        let entries = calendar.entries(try await buckets(of: subject, quarters, fleet))
        let tariff = fleet.tariff
        if format == .csv {
            let table = FleetDocuments.energyTable(entries, calendar, tariff: tariff)
            return FleetAPI.Document(bytes: table, format: .csv, fileName: "energy.csv")
        }
        var head = Array("\"device\":".utf8)
        head.appendQuoted(name)
        head += ",\"site\":".utf8
        head.appendQuoted(subject.site)
        head.append(UInt8(ascii: ","))
        return FleetAPI.Document(bytes: FleetDocuments.energy(entries, calendar, tariff: tariff, head: head))
    }

    func buckets(
        of subject: HistorySubject,
        _ range: HistoryRange,
        _ fleet: Fleet
    ) async throws(APIError) -> [HistoryBucket] {
        do {
            return try await fleet.history.buckets(of: subject, from: range.from, to: range.to, step: range.step)
        } catch {
            throw Self.unreadable(error)
        }
    }

    func response(_ document: FleetAPI.Document, to request: HTTPRequest) throws(APIError) -> HTTPResponse {
        let acceptsGzip =
            document.bytes.count >= Self.leastToCompress
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
                throw APIError(.internalServerError, "the answer can't be compressed")
            }
            headers.append(name: "Content-Encoding", value: "gzip")
            return HTTPResponse(headers: headers, body: .bytes(compressed))
        }
        return HTTPResponse(headers: headers, body: .bytes(document.bytes))
    }
}
