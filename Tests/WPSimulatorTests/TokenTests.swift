// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPModel
import WPSimulator
import WPTestKit
import WPTestSupport

struct TokenTests {
    private static let captured401 =
        #"{"total": 0, "pageSize": 20, "currentPage": 1, "data": null, "code": "401", "msg": "Unauthorized"}"#
    private static let captured200 =
        #"{"code": "401", "message": "没有登录或者令牌过期", "#
        + #""data": "Full authentication is required to access this resource"}"#

    @Test(arguments: [nil, "", "x.y.z"])
    func rejectsARequestWithoutAValidTokenAsCaptured(token: String?) async throws {
        for (shape, status, captured) in [
            (AuthFailureShape.http401, HTTPStatus.unauthorized, Self.captured401),
            (.http200, .ok, Self.captured200),
        ] {
            let harness = SimulatorHarness(SimulatorConfiguration(authFailureShape: shape))
            let reply = try await harness.get(SimulatorHarness.listTarget(page: 1), token: token)
            #expect(reply.status == status)
            #expect(try reply.json == JSONValue(parsing: captured))
            #expect(harness.simulator.counters.rejectedTokens == 1)
            #expect(harness.simulator.counters.pages == 0)
        }
    }

    @Test func alternatesBetweenTheTwoReplies() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(authFailureShape: .alternating))
        var codes: [Int] = []
        for _ in 0..<4 {
            codes.append(try await harness.get(SimulatorHarness.listTarget(page: 1), token: nil).status.code)
        }
        #expect(codes == [401, 200, 401, 200])
    }

    @Test func aTokenIsValidUntilItsLifetimeEnds() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(tokenLifetime: .seconds(60)))
        let token = try await harness.token()
        harness.clock.advance(by: .milliseconds(59_999))
        #expect(try await harness.page(token: token)["code"] == .string("000000"))
        harness.clock.advance(by: .milliseconds(1))
        #expect(try await harness.page(token: token)["code"] == .string("401"))
        #expect(harness.simulator.validTokens == 0)
    }

    @Test(arguments: [(Duration.seconds(Int64.max), 1), (.seconds(-5), 0), (.zero, 0)])
    func acceptsAnyLifetime(lifetime: Duration, valid: Int) async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(tokenLifetime: lifetime, tokenClaims: .milliseconds))
        harness.clock.advance(by: .seconds(1_000_000))
        _ = try await harness.token()
        #expect(harness.simulator.validTokens == valid)
    }

    @Test func wallClockStepsDoNotExpireTokens() async throws {
        let harness = SimulatorHarness()
        let token = try await harness.token()
        harness.clock.stepWall(by: 1_000_000)
        #expect(try await harness.page(token: token)["code"] == .string("000000"))
    }

    @Test func severalTokensCanBeValid() async throws {
        let harness = SimulatorHarness()
        let first = try await harness.token()
        harness.clock.advance(by: .seconds(900))
        let second = try await harness.token()
        #expect(first != second)
        #expect(harness.simulator.validTokens == 2)
        harness.clock.advance(by: .seconds(900))
        #expect(try await harness.page(token: first)["code"] == .string("401"))
        #expect(try await harness.page(token: second)["code"] == .string("000000"))
    }

    @Test func tokensCanBeRevoked() async throws {
        let harness = SimulatorHarness()
        let tokens = [try await harness.token(), try await harness.token(), try await harness.token()]
        harness.simulator.revoke(Secret(tokens[1]))
        #expect(try await harness.page(token: tokens[0])["code"] == .string("000000"))
        #expect(try await harness.page(token: tokens[1])["code"] == .string("401"))
        harness.simulator.expireTokens()
        #expect(try await harness.page(token: tokens[0])["code"] == .string("401"))
        #expect(try await harness.page(token: tokens[2])["code"] == .string("401"))
        #expect(try await harness.page(token: harness.token())["code"] == .string("000000"))
    }

    @Test func acceptsOnlyTheBearerScheme() async throws {
        let harness = SimulatorHarness()
        let token = try await harness.token()
        for value in [token, "Basic \(token)", "Bearer", "Bearer  \(token)", "Bearer \(token) "] {
            let reply = try await harness.send(
                HTTPRequest(target: SimulatorHarness.listTarget(page: 1), headers: ["Authorization": value])
            )
            #expect(reply.status == .unauthorized, "\(value.prefix(8))")
        }
    }

    @Test func dropsTheOldestTokens() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 0))
        let first = try await harness.token()
        for _ in 0..<1000 { _ = try await harness.login() }
        #expect(harness.simulator.validTokens == 1000)
        #expect(try await harness.page(token: first)["code"] == .string("401"))
    }
}
