// SPDX-License-Identifier: MIT

import WPFleet
import WPHTTP
import WPServer

/// Answers with the page and the API unless the history could not be opened.
struct HistoryFront: HTTPHandler {
    let history: OpeningHistory
    let with: any HTTPHandler
    let without: any HTTPHandler

    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await history.hasFailed ? without.respond(to: request) : with.respond(to: request)
    }
}

/// The API over a history that may still be opening: a request waits for it, and is told to come again when it takes long.
struct OpeningAPI: HTTPHandler {
    /// How long a request waits.
    static let patience = Duration.seconds(5)
    /// What `Retry-After` says, in seconds.
    static let retryAfter = 5

    let history: OpeningHistory
    /// Where clients of Network UPS Tools find a UPS, by its identifier.
    var nutPlace: @Sendable (String) -> NUTPlace? = { _ in nil }

    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        if let service = history.service { return try await service.api.with(nutPlace).respond(to: request) }
        request.recordRoute(FleetAPI.route)
        await history.settled(within: Self.patience)
        if let service = history.service { return try await service.api.with(nutPlace).respond(to: request) }
        guard !history.hasFailed else {
            return APIError(.notFound, "no history is kept, because it could not be opened: see the log").response
        }
        var response = APIError(.serviceUnavailable, "the history is still being opened").response
        response.headers["Retry-After"] = "\(Self.retryAfter)"
        return response
    }
}
