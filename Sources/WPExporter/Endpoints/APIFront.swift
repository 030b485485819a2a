// SPDX-License-Identifier: MIT

import WPFleet
package import WPHTTP
package import WPServer

/// Gives the requests for the API to it, and the rest to the router. A router can't: names in the API's paths may hold
/// encoded slashes, which it refuses.
package struct APIFront: HTTPHandler {
    private let api: any HTTPHandler
    private let rest: any HTTPHandler

    package init(api: any HTTPHandler, rest: any HTTPHandler) {
        self.api = api
        self.rest = rest
    }

    package nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await FleetAPI.isFor(request) ? api.respond(to: request) : rest.respond(to: request)
    }
}
