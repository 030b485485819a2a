// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPFleet
import WPHTTP
import WPHistory
import WPLogging
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A fleet with a clock stopped at 2025-06-15T15:06:40Z.
struct FleetUnderTest {
    let clock = TestClock()
    let fleet: Fleet
    let intake: ReportIntake
    let api: FleetAPI
    let log = CapturingLogHandler()

    init(tariff: Double? = nil, currency: String? = nil, maxSubjects: Int = 10_000) async throws {
        let history = try await History(
            MemoryHistoryStore(),
            configuration: .init(maxSubjects: maxSubjects),
            timeSource: clock.timeSource,
            logger: .silent
        )
        fleet = Fleet(
            history,
            .init(tariff: Tariff(price: tariff, currency: currency)),
            timeSource: clock.timeSource
        )
        intake = ReportIntake(fleet, timeSource: clock.timeSource, logger: log.logger)
        api = FleetAPI(fleet, takesReports: true)
    }

    var now: Double { clock.timeSource.now.secondsSince1970 }

    func time(_ offset: Double = 0) -> String { RFC3339.string(secondsSince1970: now + offset) }

    func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> HTTPResponse {
        try await api.respond(to: HTTPRequest(target: "/api/v2/" + path, headers: headers))
    }

    func json(_ path: String) async throws -> [String: Any] {
        let response = try await get(path)
        #expect(response.status == .ok, "\(path): \(String(decoding: response.bytes, as: UTF8.self))")
        return try object(response.bytes)
    }

    func node(_ name: String, _ offset: Double = 0, cpu: Double = 50) -> [UInt8] {
        Array("{\"node_name\":\"\(name)\",\"timestamp\":\"\(time(offset))\",\"cpu\":{\"usage_percent\":\(cpu)}}".utf8)
    }

    func ups(_ id: String, site: String? = nil, _ offset: Double = 0, watts: Double = 300, energy: Double = 1000)
        -> [UInt8]
    {
        let siteMember = site.map { "\"site\":\"\($0)\"," } ?? ""
        let device =
            "{\"id\":\"\(id)\",\"read_at\":\"\(time(offset))\",\"load_watts\":\(watts),\"mode\":\"line\","
            + "\"energy_watt_hours\":\(energy)}"
        return Array("{\(siteMember)\"timestamp\":\"\(time(offset))\",\"devices\":[\(device)]}".utf8)
    }
}

func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(Documents.object(bytes))
}

/// Parses JSON with Foundation; the integration tests use an independent parser.
enum Documents {
    enum Value: Decodable {
        case object([String: Value]), array([Value]), number(Double), text(String), flag(Bool), null

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .flag(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .text(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        var any: Any {
            switch self {
            case .object(let members): members.mapValues(\.any)
            case .array(let elements): elements.map(\.any)
            case .number(let value): value
            case .text(let value): value
            case .flag(let value): value
            case .null: "null"
            }
        }
    }

    static func object(_ bytes: [UInt8]) -> [String: Any]? {
        (try? JSONDecoder().decode(Value.self, from: Data(bytes)))?.any as? [String: Any]
    }
}
