// SPDX-License-Identifier: MIT

package import WPHTTP
package import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `GET /debug/`: what an operator wants to see of the process, as a page for people, or as JSON at
/// `/debug/state.json`, with `?format=json`, or for who accepts JSON and no HTML. Served under `server.enable_pprof`
/// only.
struct DebugEndpoint: HTTPHandler {
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    let probe: DebugProbe

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let state = await probe.state()
        guard !Self.wantsJSON(request) else {
            var response = try JSONReply.ok(state, keys: .convertToSnakeCase)
            response.headers["Vary"] = "Accept"
            return response
        }
        return HTTPResponse(
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Vary": "Accept",
                "Content-Security-Policy": Self.policy, "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
            ],
            body: .bytes(Array(DebugPage(state: state).html.utf8))
        )
    }

    static func wantsJSON(_ request: HTTPRequest) -> Bool {
        if request.path.hasSuffix(".json") { return true }
        if request.query?.split(separator: "&").contains("format=json") == true { return true }
        let types = request.headers.values(of: "Accept").joined(separator: ",").lowercased()
        return types.contains("application/json") && !types.contains("text/html")
    }
}
