// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPSimulator
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct LoginTests {
    @Test func correctCredentialsGetAReplyWithTheCapturedStructure() async throws {
        let harness = SimulatorHarness()
        let reply = try await harness.login()
        #expect(reply.status == .ok)
        #expect(reply.headers["Content-Type"] == "application/json;charset=UTF-8")
        #expect(reply.pieces == 1)
        let captured = #"{"code": "000000", "message": "OK", "data": {"deviceId": "e1", "token": "x"}}"#
        #expect(try reply.json.shape == JSONValue(parsing: captured).shape)
        #expect(try reply.json["code"] == .string("000000"))
        #expect(harness.simulator.counters.logins == 1)
        #expect(harness.simulator.validTokens == 1)
    }

    @Test(arguments: [("admin", "wrong"), ("somebody", "admin"), ("", ""), ("Admin", "admin")])
    func wrongCredentialsAreAnApplicationError(user: String, password: String) async throws {
        let harness = SimulatorHarness()
        let reply = try await harness.login(user: user, password: password)
        #expect(reply.status == .ok)
        let json = try reply.json
        #expect(json["code"]?.text != "000000")
        #expect(json["message"]?.text?.isEmpty == false)
        #expect(json["data"] == .null)
        #expect(harness.simulator.counters.rejectedLogins == 1)
        #expect(harness.simulator.validTokens == 0)
    }

    @Test(arguments: ["", "{}", "null", "[]", "admin", #"{"username":"admin"}"#, #"{"username":1,"password":2}"#])
    func anInvalidLoginBodyIsABadRequest(body: String) async throws {
        let harness = SimulatorHarness()
        let reply = try await harness.send(
            HTTPRequest(
                method: .post,
                target: SimulatorHarness.loginTarget,
                headers: ["Content-Type": "application/json"],
                body: Array(body.utf8)
            )
        )
        #expect(reply.status == .badRequest)
        #expect(harness.simulator.counters.logins == 0)
    }

    @Test func rejectsBodiesThatAreNotJSONOrTooLarge() async throws {
        let harness = SimulatorHarness()
        let form = HTTPRequest(
            method: .post,
            target: SimulatorHarness.loginTarget,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array("username=admin&password=admin".utf8)
        )
        #expect(try await harness.send(form).status.code == 415)
        for (size, status) in [(65_536, HTTPStatus.badRequest), (65_537, .contentTooLarge)] {
            let blanks = HTTPRequest(
                method: .post,
                target: SimulatorHarness.loginTarget,
                headers: ["content-type": "Application/JSON; charset=utf-8"],
                body: [UInt8](repeating: 0x20, count: size)
            )
            #expect(try await harness.send(blanks).status == status)
        }
    }

    @Test func tokensSurviveAPasswordChange() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(username: "eva", password: Secret(#"p"\ä"#)))
        let token = try #require(
            try await harness.login(user: "eva", password: #"p\"\\ä"#).json["data"]?["token"]?.text
        )
        harness.simulator.set(password: Secret("new"))
        #expect(try await harness.login(user: "eva", password: #"p\"\\ä"#).json["code"] != .string("000000"))
        #expect(try await harness.login(user: "eva", password: "new").json["code"] == .string("000000"))
        #expect(try await harness.page(token: token)["code"] == .string("000000"))
    }

    @Test(arguments: TokenClaims.allCases)
    func tokensHaveWinPowersFormat(claims: TokenClaims) async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(tokenLifetime: .seconds(600), tokenClaims: claims))
        let parts = try await harness.token().split(separator: ".")
        try #require(parts.count == 3)
        let header = try JSONValue(parsing: decodeBase64URL(parts[0]))
        #expect(header == .object(["alg": .string("HS512")]))
        #expect(try decodeBase64URL(parts[2]).count == 64)
        let payload = try JSONValue(parsing: decodeBase64URL(parts[1]))
        let issuedAt = 1_750_000_000.0
        var expected: [String: JSONValue] = [
            "sub": .string("admin"), "iss": .string("WINPOWER"), "iat": .number(issuedAt),
        ]
        switch claims {
        case .seconds:
            expected["exp"] = .number(issuedAt + 600)
        case .milliseconds:
            expected["exp"] = .number((issuedAt + 600) * 1000)
            expected["tokenExpiredMinutes"] = .number(10)
        }
        #expect(payload == .object(expected))
    }

    private func decodeBase64URL(_ text: Substring) throws -> [UInt8] {
        var standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        while standard.utf8.count % 4 != 0 { standard += "=" }
        return [UInt8](try #require(Data(base64Encoded: standard)))
    }
}
