// SPDX-License-Identifier: MIT

public import WPHTTP
public import WPServer

/// The web page: its document at `/`, and its assets below `/assets/`.
///
/// The asset paths contain the version of the page, so that browsers may cache them forever and never mix two versions.
/// The document is revalidated each time, with 304 if unchanged. It uses the ``FleetAPI`` below the same prefix.
public struct WebPage: HTTPHandler {
    /// The route name in metrics.
    package static let route = "page"
    /// The path prefix of the assets.
    package static let assetPrefix = "/assets/"

    /// Allows only resources of this server, and neither inline scripts nor framing.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// Creates the page.
    public init() {}

    /// Adds the page's routes to a router, with the router's access control.
    /// - Parameters:
    ///   - router: the router of the program's server.
    ///   - prefix: the prefix of its paths there, such as `/fleet`; empty for unchanged paths.
    public static func mount(on router: inout HTTPRouter, under prefix: String = "") {
        let page = HTTPSubtree(prefix: prefix, handler: WebPage())
        router.on(.get, prefix + "/", name: route, page)
        router.onPrefix(.get, prefix + assetPrefix, name: route, page)
    }

    /// Responds with the document and the assets; 404 for an asset of another version.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        // The first request compresses the files.
        let content = await HTTPServer.offload { PageContent.standard }
        guard request.path.utf8.starts(with: Self.assetPrefix.utf8) else { return document(content, for: request) }
        let parts = request.path.dropFirst(Self.assetPrefix.count).split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, parts[0] == content.version, let asset = content.assets[String(parts[1])] else {
            return HTTPResponse(
                status: .notFound,
                headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
                body: .bytes(Array("There is no such asset in this version of the page.\n".utf8))
            )
        }
        return response(asset, content.version, to: request, caching: "public, max-age=31536000, immutable")
    }

    private func document(_ content: PageContent, for request: HTTPRequest) -> HTTPResponse {
        var response = response(content.document, content.version, to: request, caching: "no-cache")
        response.headers.append(name: "Content-Security-Policy", value: Self.policy)
        response.headers.append(name: "Referrer-Policy", value: "no-referrer")
        response.headers.append(name: "X-Page-Version", value: content.version)
        return response
    }

    private func response(
        _ asset: PageContent.Asset,
        _ version: String,
        to request: HTTPRequest,
        caching: String
    ) -> HTTPResponse {
        let acceptsGzip = AcceptEncoding.acceptsGzip(request.headers.values(of: "Accept-Encoding"))
        let isCompressed = asset.compressed != nil && acceptsGzip
        // Each representation has its own entity tag (RFC 9110, section 8.8.3).
        let tag = "\"\(version)\(isCompressed ? "-gzip" : "")\""
        var headers: HTTPFields = [
            "Content-Type": asset.type, "Cache-Control": caching, "ETag": tag, "Vary": "Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        ]
        if EntityTag.matches(tag, request.headers) {
            return HTTPResponse(status: HTTPStatus(code: 304), headers: headers)
        }
        guard isCompressed, let compressed = asset.compressed else {
            return HTTPResponse(headers: headers, body: .bytes(asset.bytes))
        }
        headers.append(name: "Content-Encoding", value: "gzip")
        return HTTPResponse(headers: headers, body: .bytes(compressed))
    }
}
