// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPServer

@Suite("Routes")
struct HTTPRouterTests {
    private func makeRouter() -> HTTPRouter {
        var router = HTTPRouter()
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
    func findsRoutes(method: HTTPMethod, target: String, expected: String) async throws {
        #expect(try await text(method, target) == expected)
    }

    @Test(arguments: [
        "/", "/x", "/metrics/", "/Metrics", "//metrics", "/debug", "/debug/../metrics", "/debug/%2E%2E/metrics",
        "/./metrics", "/debug/%2Fetc", "/debug/%00", "/debug/%0a", "/debug/%7F", "/debug/%", "/debug/%4", "/debug/%zz",
        "/debug/%FF", "/%2Fmetrics", "*",
    ])
    func answers404ToUnknownPaths(target: String) async throws {
        let request = received(.get, target)
        let response = try await makeRouter().respond(to: request)
        #expect(response.status == .notFound)
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(request.route == nil)
        #expect(String(decoding: response.bytes, as: UTF8.self) == "404 Not Found\n")
    }

    @Test func routesASubtreeToOneHandlerWithTheRawPath() async throws {
        var router = makeRouter()
        router.on(.get, "/api/exact") { _ in .text("exact") }
        router.mount("/api/", name: "api", ClosureHTTPHandler { .text("\($0.method.rawValue) \($0.path)") })
        router.mount("/api/deep/", ClosureHTTPHandler { _ in .text("deep") })
        for (method, target, expected) in [
            (HTTPMethod.get, "/api/a%2Fb", "GET /api/a%2Fb"), (.delete, "/api/exact", "DELETE /api/exact"),
            (.get, "/api/deep/x", "deep"),
        ] {
            let request = received(method, target)
            let response = try await router.respond(to: request)
            #expect(String(decoding: response.bytes, as: UTF8.self) == expected)
            #expect(request.route == (expected == "deep" ? "/api/deep/" : "api"))
        }
        #expect(try await router.respond(to: received(.get, "/%61pi/x")).status == .notFound)
    }

    @Test func authenticatesBeforeASubtree() async throws {
        var router = makeRouter()
        router.mount("/api/", ClosureHTTPHandler { _ in .text("secret") })
        router.accessControl = HTTPAccessControl(exemptPaths: ["/api/"]) { .init(bearer: { $0 == "right" }) }
        #expect(try await router.respond(to: received(.get, "/api/x")).status == .unauthorized)
    }

    @Test(arguments: [
        (HTTPMethod.post, "/metrics", "GET, HEAD", "/metrics"), (.put, "/health", "GET, HEAD, POST", "health"),
        (.options, "/metrics", "GET, HEAD", "/metrics"), (.delete, "/debug/x", "GET, HEAD", "debug"),
        (HTTPMethod(rawValue: "get"), "/metrics", "GET, HEAD", "/metrics"),
    ])
    func answers405ToOtherMethods(method: HTTPMethod, target: String, allowed: String, route: String) async throws {
        let request = received(method, target)
        let response = try await makeRouter().respond(to: request)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers["Allow"] == allowed)
        #expect(request.route == route)
        #expect(String(decoding: response.bytes, as: UTF8.self) == "405 Method Not Allowed\n")
    }

    @Test(arguments: [
        (HTTPMethod.get, "/metrics?x=y", "/metrics" as String?), (.head, "/health", "health"),
        (.post, "/health", "health-post"),
        (.get, "/debug/anything", "debug"), (.get, "/debug/deep/x", "/debug/deep/"), (.get, "/nothing", nil),
    ])
    func recordsTheRoute(method: HTTPMethod, target: String, route: String?) async throws {
        let request = received(method, target)
        _ = try await makeRouter().respond(to: request)
        #expect(request.route == route)
    }

    @Test func theInnermostRouterNamesTheRoute() async throws {
        var inner = HTTPRouter()
        inner.on(.get, "/ups/metrics", name: "ups") { _ in .text("ups") }
        var outer = HTTPRouter()
        outer.onPrefix(.get, "/ups/", name: "mounted", inner)
        for (target, route) in [("/ups/metrics", "ups"), ("/ups/x", "mounted")] {
            let request = received(.get, target)
            _ = try await outer.respond(to: request)
            #expect(request.route == route)
        }
    }

    @Test func theProgramFormatsItsErrors() async throws {
        var router = HTTPRouter { problem in
            .text("\(problem.status.code) \(problem.code) \(problem.path ?? "-")", status: HTTPStatus(code: 418))
        }
        router.on(.get, "/metrics") { _ in .text("metrics") }
        let missing = try await router.respond(to: HTTPRequest(target: "/x%20y?q"))
        #expect(String(decoding: missing.bytes, as: UTF8.self) == "404 not_found /x%20y")
        let wrong = try await router.respond(to: HTTPRequest(method: .put, target: "/metrics"))
        #expect(String(decoding: wrong.bytes, as: UTF8.self) == "405 method_not_allowed /metrics")
        #expect(wrong.status.code == 418 && wrong.headers["Allow"] == "GET, HEAD")
    }

    /// A request in the form that a server passes to its handler.
    private func received(_ method: HTTPMethod, _ target: String) -> HTTPRequest {
        var request = HTTPRequest(method: method, target: target)
        request.context = HTTPRequestContext()
        return request
    }

    @Test func aLaterRouteReplacesAnEarlierOne() async throws {
        var router = makeRouter()
        router.on(.get, "/metrics", name: "new") { _ in .text("new") }
        router.onPrefix(.get, "/debug/", ClosureHTTPHandler { _ in .text("new debug") })
        let metrics = try await router.respond(to: HTTPRequest(target: "/metrics"))
        let debug = try await router.respond(to: HTTPRequest(target: "/debug/x"))
        #expect([metrics, debug].map { String(decoding: $0.bytes, as: UTF8.self) } == ["new", "new debug"])
    }
}
