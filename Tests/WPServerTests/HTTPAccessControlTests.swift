// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPHTTP
import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Access control")
struct HTTPAccessControlTests {
    private enum Kind: CaseIterable { case basic, bearer, both, neither }

    private static func credentials(_ kind: Kind) -> HTTPAccessControl.Credentials {
        var credentials = HTTPAccessControl.Credentials()
        if kind == .basic || kind == .both {
            credentials.basic = { name, password in
                // Both are compared, whatever the first result.
                let isName = ConstantTime.equal(name, "prometheus")
                let isPassword = ConstantTime.equal(password, "pa:ss wörd")
                return isName && isPassword
            }
        }
        if kind == .bearer || kind == .both { credentials.bearer = { ConstantTime.equal($0, "t0ken+/=") } }
        return credentials
    }

    private static func control(_ kind: Kind) -> HTTPRouter {
        var router = HTTPRouter()
        router.on(.get, "/metrics") { _ in .text("secret") }
        router.on(.get, "/health") { _ in .text("fine") }
        router.accessControl = HTTPAccessControl(realm: "wp \"x\"", exemptPaths: ["/health"]) { credentials(kind) }
        return router
    }

    private static func respond(_ kind: Kind, _ target: String, _ authorization: String...) async throws -> HTTPResponse
    {
        var headers = HTTPFields()
        for value in authorization { headers.append(name: "Authorization", value: value) }
        return try await control(kind).respond(to: HTTPRequest(target: target, headers: headers))
    }

    private static let basic = "Basic " + Data("prometheus:pa:ss wörd".utf8).base64EncodedString()
    private static let bearer = "Bearer t0ken+/="

    @Test func acceptsValidCredentials() async throws {
        for (kind, value) in [
            (Kind.basic, Self.basic), (.bearer, Self.bearer), (.both, Self.basic), (.both, Self.bearer),
        ] {
            #expect(try await Self.respond(kind, "/metrics", value).status == .ok)
        }
        #expect(try await Self.respond(.basic, "/metrics", "bASIC  " + Self.basic.dropFirst(6)).status == .ok)
    }

    @Test func rejectsOtherSchemesAndMissingCredentials() async throws {
        #expect(try await Self.respond(.basic, "/metrics", Self.bearer).status == .unauthorized)
        #expect(try await Self.respond(.bearer, "/metrics", Self.basic).status == .unauthorized)
        for kind in Kind.allCases { #expect(try await Self.respond(kind, "/metrics").status == .unauthorized) }
        for value in [Self.basic, Self.bearer] {
            #expect(try await Self.respond(.neither, "/metrics", value).status == .unauthorized)
        }
    }

    /// A browser would prompt its user and block the script.
    @Test func sendsNoBasicChallengeToAScript() async throws {
        for kind in Kind.allCases {
            let headers: HTTPFields = ["X-Requested-With": "page"]
            let response = try await Self.control(kind).respond(to: HTTPRequest(target: "/metrics", headers: headers))
            #expect(response.status == .unauthorized)
            let challenges = response.headers.values(of: "WWW-Authenticate")
            #expect(!challenges.isEmpty && !challenges.contains { $0.hasPrefix("Basic") })
        }
    }

    @Test(arguments: [
        "", "Basic", "Basic ", "Bearer", "Bearer ", "Bearer t0ken+/", "Bearer t0ken+/=x", "Bearer T0KEN+/=",
        "Token t0ken+/=",
        "Basic !!!!", "Basic cHJvbWV0aGV1cw==", "Basic OnBhOnNzIHfDtnJk", "Basic cHJvbWV0aGV1czo=", "Basic //79",
        "t0ken+/=", "Bearer t0ken+/=, Basic x", "Bearert0ken+/=",
    ])
    func rejectsInvalidCredentials(value: String) async throws {
        #expect(try await Self.respond(.both, "/metrics", value).status == .unauthorized)
    }

    @Test func rejectsTwoAuthorizationFields() async throws {
        #expect(try await Self.respond(.both, "/metrics", Self.bearer, Self.bearer).status == .unauthorized)
    }

    @Test func sendsAChallengePerScheme() async throws {
        let response = try await Self.respond(.both, "/metrics?x")
        #expect(
            response.headers.values(of: "WWW-Authenticate") == [
                "Basic realm=\"wp x\", charset=\"UTF-8\"", "Bearer realm=\"wp x\"",
            ]
        )
        #expect(String(decoding: response.bytes, as: UTF8.self) == "401 Unauthorized\n")
        let basic = try await Self.respond(.basic, "/metrics").headers.values(of: "WWW-Authenticate")
        #expect(basic.count == 1 && basic[0].hasPrefix("Basic "))
        let bearer = try await Self.respond(.bearer, "/metrics").headers.values(of: "WWW-Authenticate")
        #expect(bearer == ["Bearer realm=\"wp x\""])
    }

    @Test(arguments: ["/health", "/health?x", "/%68ealth"])
    func exemptsPaths(target: String) async throws {
        #expect(try await Self.respond(.both, target).status == .ok)
    }

    @Test(arguments: [
        "/health/", "/health/../metrics", "/Health", "//health", "/health%2F", "/metrics?/health", "/nothing",
    ])
    func exemptsNoOtherPaths(target: String) async throws {
        #expect(try await Self.respond(.both, target).status == .unauthorized)
    }

    @Test func readsTheCredentialsForEachRequest() async throws {
        let token = Mutex("one")
        let control = HTTPAccessControl {
            let current = token.withLock { $0 }
            return HTTPAccessControl.Credentials(bearer: { ConstantTime.equal($0, current) })
        }.guarding(echo)
        let request = HTTPRequest(target: "/", headers: ["Authorization": "Bearer two"])
        #expect(try await control.respond(to: request).status == .unauthorized)
        token.withLock { $0 = "two" }
        #expect(try await control.respond(to: request).status == .ok)
    }

    @Test(arguments: [("/metrics", "/metrics" as String?), ("/x", nil)])
    func countsARejectionForItsRoute(target: String, route: String?) async throws {
        var request = HTTPRequest(target: target)
        request.context = HTTPRequestContext()
        #expect(try await Self.control(.both).respond(to: request).status == .unauthorized)
        #expect(request.route == route)
    }

    @Test(arguments: [
        ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "", false), ("", "a", false), ("ab", "a", false),
        ("aa", "a", false), ("abab", "ab", false), ("secret", "secret", true), ("secres", "secret", false),
        ("é", "e\u{301}", false),
    ])
    func comparesCredentialsByBytes(presented: String, secret: String, isEqual: Bool) {
        #expect(ConstantTime.equal(presented, secret) == isEqual)
    }

    @Test func answers503WithRetryAfterWhenTheCheckIsBusy() async throws {
        let control = HTTPAccessControl {
            HTTPAccessControl.Credentials(basic: { _, _ throws(HTTPAccessControl.Busy) in throw HTTPAccessControl.Busy()
            })
        }.guarding(echo)
        let response = try await control.respond(
            to: HTTPRequest(target: "/metrics", headers: ["Authorization": Self.basic])
        )
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers["Retry-After"] == "1")
    }
}
