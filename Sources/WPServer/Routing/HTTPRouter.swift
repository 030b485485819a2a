// SPDX-License-Identifier: MIT

public import WPHTTP

/// Chooses a handler by method and path.
///
/// ```swift
/// var router = HTTPRouter()
/// router.on(.get, "/health") { _ in .text("ok\n") }
/// router.onPrefix(.get, "/debug/", name: "debug", debugPages)
/// ```
///
/// An exact path wins over a prefix, a longer prefix over a shorter one. HEAD is answered by the handler of GET unless
/// it has its own. Paths are compared after percent-decoding, and case counts. A path that no route has is answered 404,
/// a method that the path's routes don't have 405 with Allow.
///
/// The name of the route that matches is recorded with the request (``WPHTTP/HTTPRequest/recordRoute(_:)``), so that the
/// server can report it; with 405 and with a refusal by ``accessControl`` too.
public struct HTTPRouter: HTTPHandler {
    private struct Place: Sendable {
        var methods: [HTTPMethod: Route] = [:]

        func route(for method: HTTPMethod) -> Route? {
            methods[method] ?? (method == .head ? methods[.get] : nil)
        }

        var allowed: String {
            var names = Set(methods.keys.map(\.rawValue))
            if names.contains("GET") { names.insert("HEAD") }
            return names.sorted().joined(separator: ", ")
        }

        /// The name of the path whatever the method.
        var name: String { methods.values.map(\.name).min() ?? HTTPServer.Exchange.other }
    }

    private struct Route: Sendable {
        var name: String
        var handler: any HTTPHandler
    }

    private var exact: [String: Place] = [:]
    /// The longest first.
    private var prefixes: [(prefix: String, place: Place)] = []
    private let render: HTTPProblem.Renderer

    /// Asked before each request is answered, whether a route matches or not, so that a stranger learns nothing of the
    /// routes. Nil lets every request through. Default nil.
    public var accessControl: HTTPAccessControl?

    /// Creates a router without routes.
    /// - Parameter problems: makes the bodies of 404, 405 and of what ``accessControl`` refuses.
    public init(problems: @escaping HTTPProblem.Renderer = HTTPProblem.plainText) {
        render = problems
    }

    /// Adds a route for one path. One that has the same method and path is replaced.
    /// - Parameters:
    ///   - method: the requests that it answers; a route of GET also answers HEAD.
    ///   - path: begins with a slash; not percent-encoded.
    ///   - name: what the route is called in metrics and logs; nil for the path.
    ///   - handler: answers the requests.
    public mutating func on(_ method: HTTPMethod, _ path: String, name: String? = nil, _ handler: any HTTPHandler) {
        exact[path, default: Place()].methods[method] = Route(name: name ?? path, handler: handler)
    }

    /// Adds a route for one path. One that has the same method and path is replaced.
    /// - Parameters:
    ///   - method: the requests that it answers; a route of GET also answers HEAD.
    ///   - path: begins with a slash; not percent-encoded.
    ///   - name: what the route is called in metrics and logs; nil for the path.
    ///   - answer: answers the requests.
    public mutating func on(
        _ method: HTTPMethod,
        _ path: String,
        name: String? = nil,
        _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        on(method, path, name: name, ClosureHTTPHandler(answer))
    }

    /// Adds a route for every path that begins with a prefix. One that has the same method and prefix is replaced.
    /// - Parameters:
    ///   - method: the requests that it answers; a route of GET also answers HEAD.
    ///   - prefix: begins and ends with a slash; not percent-encoded.
    ///   - name: what the route is called in metrics and logs; nil for the prefix.
    ///   - handler: answers the requests.
    public mutating func onPrefix(
        _ method: HTTPMethod,
        _ prefix: String,
        name: String? = nil,
        _ handler: any HTTPHandler
    ) {
        let route = Route(name: name ?? prefix, handler: handler)
        if let index = prefixes.firstIndex(where: { $0.prefix == prefix }) {
            prefixes[index].place.methods[method] = route
            return
        }
        prefixes.append((prefix, Place(methods: [method: route])))
        prefixes.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// Whether a route answers this method at exactly this path; a prefix does not count.
    package func hasRoute(_ method: HTTPMethod, _ path: String) -> Bool { exact[path]?.methods[method] != nil }

    /// Another route has the same method and path.
    public struct RouteExists: Error, Sendable, Hashable, CustomStringConvertible {
        /// The method of the route.
        public let method: HTTPMethod
        /// The path of the route.
        public let path: String

        package init(method: HTTPMethod, path: String) {
            (self.method, self.path) = (method, path)
        }

        /// Names the route.
        public var description: String { "the router already has a route for \(method.rawValue) \(path)" }
    }

    /// Answers by the route that matches.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let path = HTTPPath.canonical(request.path)
        let place = path.flatMap(place)
        let route = place?.route(for: request.method)
        if let place { request.recordRoute(route?.name ?? place.name) }
        if let accessControl, let refusal = await accessControl.refusal(of: request, path: path, render) {
            return refusal
        }
        guard let place else { return render(HTTPProblem(.notFound, "not_found", path: request.path)) }
        guard let route else {
            var response = render(HTTPProblem(.methodNotAllowed, "method_not_allowed", path: request.path))
            response.headers["Allow"] = place.allowed
            return response
        }
        return try await route.handler.respond(to: request)
    }

    private func place(at path: String) -> Place? {
        if let place = exact[path] { return place }
        return prefixes.first { path.utf8.starts(with: $0.prefix.utf8) }?.place
    }
}
