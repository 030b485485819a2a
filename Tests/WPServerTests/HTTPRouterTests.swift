// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Routes")
struct HTTPRouterTests {
    private func makeRouter() -> HTTPRouter {
        var router = HTTPRouter { Date(timeIntervalSince1970: 1_767_323_045.9) }
        router.on(.get, "/metrics") { _ in .text("metrics") }
        router.on(.get, "/health", name: "health") { _ in .text("health") }
        router.on(.post, "/health", name: "health-post") { _ in .text("posted") }
        router.on(.get, "/a b/ü") { _ in .text("unusual") }
        router.onPrefix(.get, "/debug/", name: "debug", ClosureHTTPHandler { .text("debug \($0.path)") })
        router.onPrefix(.get, "/debug/deep/", ClosureHTTPHandler { _ in .text("deep") })
        router.on(.get, "/debug/exact") { _ in .text("exact") }
        return router
    }

    private func text(_ method: HTTPMethod, _ target: String) async throws -> String {
        let response = try await makeRouter().respond(to: HTTPRequest(method: method, target: target))
        return String(decoding: response.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (HTTPMethod.get, "/metrics", "metrics"), (.get, "/metrics?name[]=x", "metrics"), (.head, "/metrics", "metrics"),
        (.get, "/%6Detrics", "metrics"), (.get, "/health", "health"), (.post, "/health", "posted"),
        (.get, "/a%20b/%C3%BC", "unusual"), (.get, "/debug/", "debug /debug/"),
        (.get, "/debug/x/y", "debug /debug/x/y"),
        (.get, "/debug/deep/x", "deep"), (.get, "/debug/exact", "exact"),
    ])
    func finds(method: HTTPMethod, target: String, expected: String) async throws {
        #expect(try await text(method, target) == expected)
    }

    @Test(arguments: [
        "/", "/x", "/metrics/", "/Metrics", "//metrics", "/debug", "/debug/../metrics", "/debug/%2E%2E/metrics",
        "/./metrics", "/debug/%2Fetc", "/debug/%00", "/debug/%0a", "/debug/%7F", "/debug/%", "/debug/%4", "/debug/%zz",
        "/debug/%FF", "/%2Fmetrics", "*",
    ])
    func answers404(target: String) async throws {
        let router = makeRouter()
        let request = HTTPRequest(target: target)
        let response = try await router.respond(to: request)
        #expect(response.status == .notFound)
        #expect(response.headers["Content-Type"] == "application/json")
        #expect(router.label(for: request) == "other")
        let body = String(decoding: response.bytes, as: UTF8.self)
        #expect(body == "{\"error\":\"not_found\",\"path\":\"\(target)\",\"ts\":\"2026-01-02T03:04:05Z\"}")
    }

    @Test(arguments: [
        (HTTPMethod.post, "/metrics", "GET, HEAD", "/metrics"), (.put, "/health", "GET, HEAD, POST", "health"),
        (.options, "/metrics", "GET, HEAD", "/metrics"), (.delete, "/debug/x", "GET, HEAD", "debug"),
        (HTTPMethod(rawValue: "get"), "/metrics", "GET, HEAD", "/metrics"),
    ])
    func answers405(method: HTTPMethod, target: String, allowed: String, label: String) async throws {
        let request = HTTPRequest(method: method, target: target)
        let response = try await makeRouter().respond(to: request)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers["Allow"] == allowed)
        #expect(makeRouter().label(for: request) == label)
        let body = String(decoding: response.bytes, as: UTF8.self)
        #expect(body == "{\"error\":\"method_not_allowed\",\"path\":\"\(target)\",\"ts\":\"2026-01-02T03:04:05Z\"}")
    }

    @Test(arguments: [
        (HTTPMethod.get, "/metrics?x=y", "/metrics"), (.head, "/health", "health"), (.post, "/health", "health-post"),
        (.get, "/debug/anything", "debug"), (.get, "/debug/deep/x", "/debug/deep/"), (.get, "/nothing", "other"),
    ])
    func labels(method: HTTPMethod, target: String, label: String) {
        #expect(makeRouter().label(for: HTTPRequest(method: method, target: target)) == label)
    }

    @Test func escapesAndBoundsThePathOfAnError() async throws {
        let odd = "/\"\\\u{1}\n" + String(repeating: "ü", count: 1000)
        let response = try await makeRouter().respond(to: HTTPRequest(target: odd))
        let body = String(decoding: response.bytes, as: UTF8.self)
        #expect(body.hasPrefix("{\"error\":\"not_found\",\"path\":\"/\\\"\\\\\\u0001\\nü"))
        #expect(body.utf8.count < 700)
        #expect(body.contains("ü…\",\"ts\":"))
    }

    @Test func theLaterRouteReplacesTheEarlier() async throws {
        var router = makeRouter()
        router.on(.get, "/metrics", name: "new") { _ in .text("new") }
        router.onPrefix(.get, "/debug/", ClosureHTTPHandler { _ in .text("new debug") })
        let metrics = try await router.respond(to: HTTPRequest(target: "/metrics"))
        let debug = try await router.respond(to: HTTPRequest(target: "/debug/x"))
        #expect([metrics, debug].map { String(decoding: $0.bytes, as: UTF8.self) } == ["new", "new debug"])
    }
}
