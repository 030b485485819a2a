// SPDX-License-Identifier: MIT

public import WPHTTP

/// Selects a handler by method and path.
///
/// ```swift
/// var router = HTTPRouter()
/// router.on(.get, "/health") { _ in .text("ok\n") }
/// router.onPrefix(.get, "/debug/", name: "debug", debugPages)
/// ```
///
/// Exact paths take precedence over prefixes, and longer prefixes over shorter ones. The handler for GET also answers
/// HEAD, unless HEAD has its own. Paths are compared after percent-decoding, case-sensitively. An unknown path is
/// answered with 404, and an unknown method of a known path with 405 and Allow. ``mount(_:name:access:_:)`` passes a
/// subtree to one handler.
///
/// Records the name of the matching route with the request (``WPHTTP/HTTPRequest/recordRoute(_:)``), even for 405
/// responses and for rejections by ``accessControl``, so that the server can report it.
public struct HTTPRouter: HTTPHandler {
    private struct PathRoutes: Sendable {
        var methods: [HTTPMethod: Route] = [:]

        func route(for method: HTTPMethod) -> Route? {
            methods[method] ?? (method == .head ? methods[.get] : nil)
        }

        var allowed: String {
            var names = Set(methods.keys.map(\.rawValue))
            if names.contains("GET") { names.insert("HEAD") }
            return names.sorted().joined(separator: ", ")
        }

        /// The name for requests whose method has no route.
        var name: String { methods.values.map(\.name).min() ?? HTTPServer.Exchange.other }
    }

    private struct Route: Sendable {
        var name: String
        var access: Access
        var handler: any HTTPHandler
    }

    /// The permitted clients of a route.
    public enum Access: Sendable {
        /// Clients accepted by the router's ``HTTPRouter/accessControl``; all clients if it is nil.
        case readers
        /// All clients.
        case open
        /// Clients accepted by this access control, which replaces the router's.
        case own(HTTPAccessControl)
    }

    private var exact: [String: PathRoutes] = [:]
    /// Longest prefix first.
    private var prefixes: [(prefix: String, pathRoutes: PathRoutes)] = []
    /// Handlers of whole subtrees, longest prefix first.
    private var mounted: [(prefix: String, route: Route)] = []
    private let render: HTTPProblem.Renderer

    /// Checks each request before routing, so that unauthorized clients cannot discover routes. Routes with their own
    /// ``Access`` are exempt. Nil accepts every request. Default nil.
    public var accessControl: HTTPAccessControl?

    /// Creates a router without routes.
    /// - Parameter problems: creates the responses for 404, 405 and rejections by ``accessControl``.
    public init(problems: @escaping HTTPProblem.Renderer = HTTPProblem.plainText) {
        render = problems
    }

    /// Adds a route for one path. Replaces a route with the same method and path.
    /// - Parameters:
    ///   - method: the method; a route for GET also answers HEAD.
    ///   - path: starts with a slash; not percent-encoded.
    ///   - name: the route's name in metrics and logs; nil for the path.
    ///   - access: the permitted clients.
    ///   - handler: answers the requests.
    public mutating func on(
        _ method: HTTPMethod,
        _ path: String,
        name: String? = nil,
        access: Access = .readers,
        _ handler: any HTTPHandler
    ) {
        exact[path, default: PathRoutes()].methods[method] = Route(name: name ?? path, access: access, handler: handler)
    }

    /// Adds a route for one path. Replaces a route with the same method and path.
    /// - Parameters:
    ///   - method: the method; a route for GET also answers HEAD.
    ///   - path: starts with a slash; not percent-encoded.
    ///   - name: the route's name in metrics and logs; nil for the path.
    ///   - access: the permitted clients.
    ///   - answer: answers the requests.
    public mutating func on(
        _ method: HTTPMethod,
        _ path: String,
        name: String? = nil,
        access: Access = .readers,
        _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        on(method, path, name: name, access: access, ClosureHTTPHandler(answer))
    }

    /// Adds a route for every path with a prefix. Replaces a route with the same method and prefix.
    /// - Parameters:
    ///   - method: the method; a route for GET also answers HEAD.
    ///   - prefix: starts and ends with a slash; not percent-encoded.
    ///   - name: the route's name in metrics and logs; nil for the prefix.
    ///   - access: the permitted clients.
    ///   - handler: answers the requests.
    public mutating func onPrefix(
        _ method: HTTPMethod,
        _ prefix: String,
        name: String? = nil,
        access: Access = .readers,
        _ handler: any HTTPHandler
    ) {
        let route = Route(name: name ?? prefix, access: access, handler: handler)
        if let index = prefixes.firstIndex(where: { $0.prefix == prefix }) {
            prefixes[index].pathRoutes.methods[method] = route
            return
        }
        prefixes.append((prefix, PathRoutes(methods: [method: route])))
        prefixes.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// Passes all requests below a prefix to a handler, for every method. The prefix is compared with the raw path and
    /// takes precedence over all other routes: the handler decodes the path itself, so names in it may contain encoded
    /// slashes. Replaces a handler with the same prefix.
    /// - Parameters:
    ///   - prefix: starts and ends with a slash; not percent-encoded.
    ///   - name: the route's name in metrics and logs; nil for the prefix.
    ///   - access: the permitted clients.
    ///   - handler: answers the requests.
    public mutating func mount(
        _ prefix: String,
        name: String? = nil,
        access: Access = .readers,
        _ handler: any HTTPHandler
    ) {
        mounted.removeAll { $0.prefix == prefix }
        mounted.append((prefix, Route(name: name ?? prefix, access: access, handler: handler)))
        mounted.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// Whether a route exists for this method and exact path; prefixes are ignored.
    package func hasRoute(_ method: HTTPMethod, _ path: String) -> Bool { exact[path]?.methods[method] != nil }

    /// Whether a handler is mounted at exactly this prefix.
    package func isMounted(_ prefix: String) -> Bool { mounted.contains { $0.prefix == prefix } }

    /// The methods, paths and names of the routes for exact paths.
    package var routes: [(method: HTTPMethod, path: String, name: String)] {
        exact.flatMap { path, pathRoutes in pathRoutes.methods.map { ($0.key, path, $0.value.name) } }
    }

    /// The methods, prefixes and names of the routes for prefixes; the method is nil for subtrees.
    package var prefixRoutes: [(method: HTTPMethod?, prefix: String, name: String)] {
        mounted.map { (nil, $0.prefix, $0.route.name) }
            + prefixes.flatMap { prefix, pathRoutes in pathRoutes.methods.map { ($0.key, prefix, $0.value.name) } }
    }

    /// This router with only the routes whose path or prefix satisfies a condition.
    package func filtered(_ isIncluded: (_ path: String) -> Bool) -> HTTPRouter {
        var router = self
        router.exact = exact.filter { isIncluded($0.key) }
        router.prefixes = prefixes.filter { isIncluded($0.prefix) }
        router.mounted = mounted.filter { isIncluded($0.prefix) }
        return router
    }

    /// Another route has the same method and path.
    public struct RouteExists: Error, Sendable, Hashable, CustomStringConvertible {
        /// The method of the route.
        public let method: HTTPMethod
        /// The path of the route.
        public let path: String

        package init(method: HTTPMethod, path: String) {
            (self.method, self.path) = (method, path)
        }

        /// A message that names the route.
        public var description: String { "the router already has a route for \(method.rawValue) \(path)" }
    }

    /// Answers a request with the handler of the matching route.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        if let (_, route) = mounted.first(where: { request.path.utf8.starts(with: $0.prefix.utf8) }) {
            request.recordRoute(route.name)
            if let rejection = await rejection(of: request, route, path: nil) { return rejection }
            return try await route.handler.respond(to: request)
        }
        let path = HTTPPath.canonical(request.path)
        let pathRoutes = path.flatMap(pathRoutes)
        let route = pathRoutes?.route(for: request.method)
        if let pathRoutes { request.recordRoute(route?.name ?? pathRoutes.name) }
        if let rejection = await rejection(of: request, route, path: path) { return rejection }
        guard let pathRoutes else { return render(HTTPProblem(.notFound, "not_found", path: request.path)) }
        guard let route else {
            var response = render(HTTPProblem(.methodNotAllowed, "method_not_allowed", path: request.path))
            response.headers["Allow"] = pathRoutes.allowed
            return response
        }
        return try await route.handler.respond(to: request)
    }

    private nonisolated(nonsending) func rejection(
        of request: HTTPRequest,
        _ route: Route?,
        path: String?
    ) async -> HTTPResponse? {
        switch route?.access ?? .readers {
        case .readers: await accessControl?.rejection(of: request, path: path, render)
        case .open: nil
        case .own(let control): await control.rejection(of: request, path: nil, render)
        }
    }

    private func pathRoutes(at path: String) -> PathRoutes? {
        if let pathRoutes = exact[path] { return pathRoutes }
        return prefixes.first { path.utf8.starts(with: $0.prefix.utf8) }?.pathRoutes
    }
}
