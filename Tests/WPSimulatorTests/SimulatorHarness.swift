// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPHTTP
import WPModel
import WPServer
import WPSimulator
import WPTestKit
import WPTestSupport

/// A simulator with a test clock, and client requests without a socket.
struct SimulatorHarness {
    let clock = TestClock()
    let simulator: WinPowerSimulator

    init(_ configuration: SimulatorConfiguration = SimulatorConfiguration()) {
        simulator = WinPowerSimulator(configuration: configuration, timeSource: clock)
    }

    init(_ scenario: Scenario, devices: Int = 3) {
        self.init(SimulatorConfiguration(deviceCount: devices, scenario: scenario))
    }

    static let loginTarget = "/api/v1/auth/login"
    static let rootArea = "00000000-0000-0000-0000-000000000000"

    static func listTarget(page: Int, size: Int = 100) -> String {
        "/api/v1/deviceData/detail/list?current=\(page)&pageSize=\(size)&areaId=\(rootArea)"
            + "&includeSubArea=true&pageNum=\(page)&deviceType=1"
    }

    func send(_ request: HTTPRequest) async throws -> Received {
        try await Received(try await simulator.respond(to: request))
    }

    func login(user: String = "admin", password: String = "admin") async throws -> Received {
        try await send(
            HTTPRequest(
                method: .post,
                target: Self.loginTarget,
                headers: ["Content-Type": "application/json"],
                body: Array(#"{"username":"\#(user)","password":"\#(password)"}"#.utf8)
            )
        )
    }

    /// Logs in and returns the token.
    func token() async throws -> String {
        try #require(try await login().json["data"]?["token"]?.text)
    }

    func get(_ target: String, token: String?) async throws -> Received {
        var headers: HTTPFields = ["Accept": "application/json, text/plain, */*"]
        headers["Authorization"] = token.map { "Bearer \($0)" }
        return try await send(HTTPRequest(target: target, headers: headers))
    }

    func page(_ page: Int = 1, size: Int = 100, token: String) async throws -> JSONValue {
        try await get(Self.listTarget(page: page, size: size), token: token).json
    }

    /// The devices of the first page, after a login.
    func devices() async throws -> [JSONValue] {
        try #require(try await page(token: token())["data"]).elements
    }

    /// `realtime` of a device of the first page.
    func realtime(_ index: Int = 0) async throws -> JSONValue {
        let devices = try await devices()
        try #require(devices.indices.contains(index))
        return try #require(devices[index]["realtime"])
    }
}

/// A response whose body was collected.
struct Received {
    var status: HTTPStatus
    var headers: HTTPFields
    var body: [UInt8]
    /// The number of chunks of a stream; 0 for a complete body.
    var pieces = 0
    /// The error that ended a stream early.
    var failure: (any Error)?

    /// - Parameter limit: where the peer stops reading.
    init(_ response: HTTPResponse, limit: Int = .max) async throws {
        status = response.status
        headers = response.headers
        body = response.bytes
        guard case .stream(let write) = response.body else { return }
        let writer = CollectingWriter(limit: limit)
        do { try await write(writer) } catch { failure = error }
        (body, pieces) = writer.collected
    }

    var json: JSONValue {
        get throws { try JSONValue(parsing: body) }
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

final class CollectingWriter: HTTPBodyWriter, Sendable {
    struct PeerIsGone: Error {}

    private let limit: Int
    private let state = Mutex<(bytes: [UInt8], pieces: Int)>(([], 0))

    init(limit: Int = .max) {
        self.limit = limit
    }

    var collected: ([UInt8], Int) { state.withLock { ($0.bytes, $0.pieces) } }

    func write(_ bytes: [UInt8]) async throws {
        try state.withLock { state in
            state.bytes += bytes
            state.pieces += 1
            if state.bytes.count > limit { throw PeerIsGone() }
        }
    }
}
