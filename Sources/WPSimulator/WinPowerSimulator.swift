// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPHTTP
import WPModel
public import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A simulated WinPower G2 server with simulated devices.
///
/// Serve this handler with ``SimulatorServer``, or call ``respond(to:)`` directly. It can be changed at any time from
/// any thread; ``power(of:at:)`` and ``energy(of:from:to:)`` return the expected values.
///
/// Replies follow captures of the real server, and share no types with the client.
public final class WinPowerSimulator: HTTPHandler {
    struct State {
        var fleet: SimulatedFleet
        var tokens: TokenIssuer
        var counters = SimulatorCounters()
        var password: Secret
    }

    private let configuration: SimulatorConfiguration
    let timeSource: any TimeSource
    private let start: TimePoint
    private let serverID: String
    let state: Mutex<State>

    private static let loginPath = "/api/v1/auth/login"
    private static let listPath = "/api/v1/deviceData/detail/list"
    private static let loginBodyLimit = 64 * 1024

    /// Creates a server with its devices.
    /// - Parameters:
    ///   - configuration: the devices, the account and the scenario.
    ///   - timeSource: the clock of tokens, device values, ``Scenario/slow``, ``Scenario/drip`` and ``Scenario/hang``.
    ///     The wall clock is read once, for the time of day at the start; later steps of the wall clock do not affect
    ///     loads.
    public init(
        configuration: SimulatorConfiguration = SimulatorConfiguration(),
        timeSource: any TimeSource = .system
    ) {
        self.configuration = configuration
        self.timeSource = timeSource
        start = timeSource.now
        var generator = SeededGenerator(seed: configuration.seed, stream: 0x7365_7276_6572)
        serverID = generator.uuid()
        state = Mutex(
            State(
                fleet: SimulatedFleet(configuration: configuration, origin: start.wall.timeIntervalSince1970),
                tokens: TokenIssuer(
                    seed: configuration.seed,
                    lifetime: configuration.tokenLifetime,
                    claims: configuration.tokenClaims
                ),
                password: configuration.password
            )
        )
    }

    /// Answers a request like WinPower, or according to the scenario.
    /// - Throws: `CancellationError` if cancelled while it waits.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let (number, scenario) = state.withLock { state in
            state.counters.requests += 1
            return (state.counters.requests - 1, state.fleet.scenario)
        }
        let answer: (HTTPRequest) async throws -> Reply
        switch request.path {
        case Self.loginPath: request.recordRoute("login")
        case Self.listPath: request.recordRoute("devices")
        default: break
        }
        switch (request.path, request.method) {
        case (Self.loginPath, .post): answer = login
        case (Self.loginPath, _): return delivery.response(for: .methodNotAllowed(allow: .post))
        case (Self.listPath, .get): answer = listDevices
        case (Self.listPath, _): return delivery.response(for: .methodNotAllowed(allow: .get))
        default: return delivery.response(for: .notFound(path: request.path))
        }
        switch scenario {
        case .serverError: return delivery.response(for: .serverError(number))
        case .garbage: return delivery.response(for: .garbage(number))
        case .hang: while true { try await timeSource.sleep(for: .seconds(3600)) }
        case .slow: try await timeSource.sleep(for: configuration.slowDelay)
        default: break
        }
        let reply = try await answer(request)
        let compresses = configuration.gzip && request.headers.contains("gzip", in: "Accept-Encoding")
        switch scenario {
        case .oversized, .gzipBomb: return delivery(in: scenario).response(for: reply)
        default: return delivery(in: scenario).response(for: compresses ? reply.compressed() : reply)
        }
    }

    private var delivery: Delivery { configuration.chunked ? .chunked : .whole }

    private func delivery(in scenario: Scenario) -> Delivery {
        switch scenario {
        case .truncated: .truncated
        case .oversized: .oversized(byteCount: configuration.oversizedByteCount)
        case .gzipBomb: .gzipBomb(byteCount: configuration.oversizedByteCount)
        case .drip: .drip(interval: configuration.dripInterval, timeSource: timeSource)
        default: delivery
        }
    }

    private func login(_ request: HTTPRequest) async throws -> Reply {
        guard request.headers.isJSON else {
            return .error(HTTPStatus(code: 415), message: "Content-Type must be application/json")
        }
        let body: [UInt8]
        do {
            body = try await request.readBody(upTo: Self.loginBodyLimit)
        } catch let error as HTTPWireError where error.code == .bodyTooLarge {
            return .error(.contentTooLarge, message: "The body is too large")
        }
        guard let credentials = try? JSONDecoder().decode(Credentials.self, from: Data(body)) else {
            return .error(.badRequest, message: "The body must be JSON with username and password")
        }
        let now = timeSource.now
        return state.withLock { state in
            guard state.fleet.scenario != .loginRefused, credentials.username == configuration.username,
                Secret(credentials.password) == state.password
            else {
                state.counters.rejectedLogins += 1
                return .wrongCredentials
            }
            state.counters.logins += 1
            return .login(token: state.tokens.issue(to: credentials.username, at: now), serverID: serverID)
        }
    }

    private func listDevices(_ request: HTTPRequest) -> Reply {
        let now = timeSource.now
        let query = DeviceListQuery(QueryParameters(request.query), pageCap: configuration.pageCap)
        return state.withLock { state in
            let scenario = state.fleet.scenario
            guard scenario != .tokenRefused, let token = request.headers.bearerToken,
                state.tokens.accepts(token, at: now)
            else {
                state.counters.rejectedTokens += 1
                return rejection(number: state.counters.rejectedTokens - 1)
            }
            guard let query else {
                return .error(.badRequest, message: "Page, page size or device type is not a number")
            }
            if scenario == .applicationError { return .applicationError }
            state.counters.pages += 1
            let indices = state.fleet.indices(for: query)
            let page = scenario == .repeatedPage ? 1 : query.page
            let (offset, overflow) = (page - 1).multipliedReportingOverflow(by: query.pageSize)
            let shown = overflow ? [] : indices.dropFirst(offset).prefix(query.pageSize)
            let seconds = self.seconds(at: now)
            return .devices(
                shown.map { state.fleet.document(index: $0, at: seconds) },
                total: indices.count + (scenario == .missingDevices ? 1 : 0),
                pageSize: query.pageSize,
                page: query.page
            )
        }
    }

    private func rejection(number: Int) -> Reply {
        switch configuration.authFailureShape {
        case .http401: .loggedOut401
        case .http200: .loggedOut200
        case .alternating: number.isMultiple(of: 2) ? .loggedOut401 : .loggedOut200
        }
    }

    /// A time in seconds of the simulation.
    func seconds(at time: TimePoint) -> Double {
        time.since(start).inSeconds
    }
}
