// SPDX-License-Identifier: MIT

import WPHTTP
import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `GET /debug/`: the state of the process, as a page, or as JSON at `/debug/state.json`, with `?format=json`, or for
/// clients that accept JSON but not HTML. Only with `server.enable_pprof`.
struct DebugEndpoint: HTTPHandler {
    let probe: DebugProbe

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let sections = await probe.sections()
        guard !Self.wantsJSON(request) else {
            var response = try JSONReply.ok(DebugDocument(sections: sections))
            response.headers["Vary"] = "Accept"
            return response
        }
        var response = LandingPage.html(DebugPage(title: probe.program.title, sections: sections).html)
        response.headers["Vary"] = "Accept"
        return response
    }

    static func wantsJSON(_ request: HTTPRequest) -> Bool {
        if request.path.hasSuffix(".json") { return true }
        if request.query?.split(separator: "&").contains("format=json") == true { return true }
        let types = request.headers.values(of: "Accept").joined(separator: ",").lowercased()
        return types.contains("application/json") && !types.contains("text/html")
    }
}
