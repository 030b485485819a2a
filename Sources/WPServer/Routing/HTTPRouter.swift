// SPDX-License-Identifier: MIT

public import WPHTTP

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
/// a method that the path's routes don't have 405 with Allow, both with a JSON body.
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
        var name: String { methods.values.map(\.name).min() ?? HTTPRouter.otherLabel }
    }

    private struct Route: Sendable {
        var name: String
        var handler: any HTTPHandler
    }

    private static let otherLabel = "other"

    private var exact: [String: Place] = [:]
    /// The longest first.
    private var prefixes: [(prefix: String, place: Place)] = []
    private let clock: @Sendable () -> Date

    /// Creates a router without routes.
    /// - Parameter clock: what the time is, for the bodies of errors.
    public init(clock: @escaping @Sendable () -> Date = { Date() }) {
        self.clock = clock
    }

    /// Adds a route for one path. One that has the same method and path is replaced.
    /// - Parameters:
    ///   - path: begins with a slash; not percent-encoded.
    ///   - name: the route's label in metrics; nil for the path.
    public mutating func on(_ method: HTTPMethod, _ path: String, name: String? = nil, _ handler: any HTTPHandler) {
        exact[path, default: Place()].methods[method] = Route(name: name ?? path, handler: handler)
    }

    /// Adds a route for one path. One that has the same method and path is replaced.
    /// - Parameters:
    ///   - path: begins with a slash; not percent-encoded.
    ///   - name: the route's label in metrics; nil for the path.
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
    ///   - prefix: begins and ends with a slash; not percent-encoded.
    ///   - name: the route's label in metrics; nil for the prefix.
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

    /// Answers by the route that matches.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard let place = place(of: request) else { return problem(.notFound, "not_found", request) }
        guard let route = place.route(for: request.method) else {
            var response = problem(.methodNotAllowed, "method_not_allowed", request)
            response.headers["Allow"] = place.allowed
            return response
        }
        return try await route.handler.respond(to: request)
    }

    /// The name of the route that matches, with 405 too; `other` when there is none.
    public func label(for request: HTTPRequest) -> String {
        guard let place = place(of: request) else { return Self.otherLabel }
        return place.route(for: request.method)?.name ?? place.name
    }

    private func place(of request: HTTPRequest) -> Place? {
        guard let path = HTTPPath.canonical(request.path) else { return nil }
        if let place = exact[path] { return place }
        return prefixes.first { path.utf8.starts(with: $0.prefix.utf8) }?.place
    }

    private func problem(_ status: HTTPStatus, _ error: String, _ request: HTTPRequest) -> HTTPResponse {
        .json(HTTPPath.errorJSON(error, path: request.path, at: clock()), status: status)
    }
}
