// SPDX-License-Identifier: MIT

import Synchronization
package import WPHTTP
package import WPServer

/// The web page: its document at `/`, and what it loads below `/assets/`.
///
/// The assets stand under the version of the whole page, so that a browser may keep them for ever and never mixes two
/// versions. The document itself is asked for each time and is 304 when it has not changed.
package struct WebPage: HTTPHandler {
    /// What the routes are called in metrics.
    package static let route = "page"
    /// Where the assets are.
    package static let assetPrefix = "/assets/"

    /// Loads only what the server itself has, runs no script that stands in the document, and is in no frame.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private let source: Source

    /// The page that is built in.
    package init() {
        self.init { .standard }
    }

    /// - Parameter load: makes the content; called when the first request comes, because compressing the files takes
    ///   milliseconds that a start need not wait for.
    init(_ load: @escaping @Sendable () -> PageContent) {
        source = Source(load)
    }

    private final class Source: Sendable {
        private let load: @Sendable () -> PageContent
        private let loaded = Mutex<PageContent?>(nil)

        init(_ load: @escaping @Sendable () -> PageContent) {
            self.load = load
        }

        nonisolated(nonsending) func content() async -> PageContent {
            if let content = loaded.withLock({ $0 }) { return content }
            let content = await HTTPServer.offload { [load] in load() }
            loaded.withLock { $0 = content }
            return content
        }
    }

    /// Adds the page's routes to a router.
    package static func mount(on router: inout HTTPRouter) {
        let page = WebPage()
        router.on(.get, "/", name: route, page)
        router.onPrefix(.get, assetPrefix, name: route, page)
    }

    /// Answers for the document and the assets; 404 for an asset of another version.
    package nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let content = await source.content()
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
        let takesGzip = AcceptEncoding.takesGzip(request.headers.values(of: "Accept-Encoding"))
        let isCompressed = asset.compressed != nil && takesGzip
        // Each representation has its own tag (RFC 9110, section 8.8.3).
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
