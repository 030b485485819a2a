// SPDX-License-Identifier: MIT

import WPCore
public import WPHTTP
public import WPServer

/// Handles requests below `/api/v2/`, read-only; `/api/v2/openapi.json` describes it.
///
/// Names in paths are percent-encoded, including slashes, so that they may contain any character: mount it with
/// ``mount(on:under:)``, which passes the path unchanged.
public struct FleetAPI: HTTPHandler {
    /// The prefix of the paths.
    public static let prefix = "/api/v2/"
    /// The route name in metrics.
    package static let route = "api"

    /// Whether DELETE removes a UPS or a node.
    package enum Removal: Sendable {
        /// The method does not exist.
        case unavailable
        /// It is rejected, because anyone could use it.
        case unprotected
        /// Every reader may remove.
        case allowed
    }

    private let builder: DocumentBuilder
    private var removal = Removal.unavailable
    private var nutAddress: @Sendable (String) -> NUTAddress? = { _ in nil }

    /// This API with or without removals.
    package func with(_ removal: Removal) -> FleetAPI {
        var api = self
        api.removal = removal
        return api
    }

    /// This API with the NUT addresses of this program's UPSes, by identifier.
    package func with(_ nutAddress: @escaping @Sendable (String) -> NUTAddress?) -> FleetAPI {
        var api = self
        api.nutAddress = nutAddress
        return api
    }

    /// Creates the API of a fleet.
    public init(_ fleet: Fleet) {
        self.init(fleet, takesReports: false)
    }

    /// Adds the API to a router, with the router's access control.
    /// - Parameters:
    ///   - router: the router of the program's server.
    ///   - prefix: the prefix of its paths there, such as `/fleet`; empty for unchanged paths.
    public func mount(on router: inout HTTPRouter, under prefix: String = "") {
        router.mount(prefix + Self.prefix, name: Self.route, HTTPSubtree(prefix: prefix, handler: self))
    }

    /// - Parameter takesReports: whether reports are posted here too, which the API description then includes.
    package init(_ fleet: Fleet, takesReports: Bool) {
        builder = DocumentBuilder(fleet, takesReports: takesReports)
    }

    /// Handles a request.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        request.recordRoute(Self.route)
        do throws(APIError) {
            let canRemove = removal != .unavailable
            guard request.method == .get || request.method == .head || (canRemove && request.method == .delete) else {
                var response = APIError(HTTPStatus(code: 405), "method not allowed").response
                response.headers["Allow"] = canRemove ? "GET, HEAD, DELETE" : "GET, HEAD"
                return response
            }
            let call = try Call(request, canRemove: removal == .allowed, nutAddress)
            if request.method == .delete {
                guard removal == .allowed else {
                    throw APIError(
                        HTTPStatus(code: 403),
                        "removing needs a hub with hub.token_file or a password in server.auth"
                    )
                }
                return try await HTTPServer.offload { [builder] () async throws(APIError) in
                    try await builder.remove(call)
                }
            }
            return try await HTTPServer.offload { [builder] () async throws(APIError) in
                try await builder.response(try await builder.document(call), to: request)
            }
        } catch {
            return error.response
        }
    }

    /// The components of a request.
    struct Call: Sendable {
        /// The decoded path components.
        var path: [String]
        var query: Substring?
        var accept: [String]
        /// Whether the client may remove a UPS or a node.
        var canRemove: Bool
        var nutAddress: @Sendable (String) -> NUTAddress?

        init(_ request: HTTPRequest, canRemove: Bool, _ nutAddress: @escaping @Sendable (String) -> NUTAddress?)
            throws(APIError)
        {
            self.canRemove = canRemove
            self.nutAddress = nutAddress
            query = request.query
            accept = request.headers.values(of: "Accept")
            path = []
            let rest = request.path.dropFirst(FleetAPI.prefix.count)
            for part in rest.split(separator: "/", maxSplits: 16, omittingEmptySubsequences: false) {
                guard let bytes = PercentEncoding.decode(part.utf8), let text = String(validating: bytes, as: UTF8.self)
                else { throw .badRequest("the path is not percent-encoded UTF-8") }
                path.append(text)
            }
        }

        /// JSON, unless `format` or the Accept header requests CSV.
        func format(_ query: APIQuery) throws(APIError) -> APIFormat {
            if let format = try query.choice("format", APIFormat.self) { return format }
            return accept.contains { $0.lowercased().hasPrefix("text/csv") } ? .csv : .json
        }
    }

    /// The body of a response.
    struct Document: Sendable {
        var bytes: [UInt8]
        var format: APIFormat
        /// The file name for downloads; nil for documents that are not downloaded.
        var fileName: String?

        init(bytes: [UInt8], format: APIFormat = .json, fileName: String? = nil) {
            (self.bytes, self.format, self.fileName) = (bytes, format, fileName)
        }

        init(_ text: String, format: APIFormat = .json, fileName: String? = nil) {
            self.init(bytes: Array(text.utf8), format: format, fileName: fileName)
        }
    }
}
