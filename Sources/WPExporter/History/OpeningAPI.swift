// SPDX-License-Identifier: MIT

import WPConfig
import WPFleet
import WPHTTP
import WPProgram
import WPServer

/// The API of a history that may still be opening: a request waits up to ``maximumWait``, and then gets 503 with
/// `Retry-After`.
struct OpeningAPI: HTTPHandler {
    /// The maximum time that a request waits.
    static let maximumWait = Duration.seconds(5)
    /// The value of `Retry-After`, in seconds.
    static let retryAfter = 5

    let history: OpeningHistory
    /// The NUT address of a UPS, by its identifier.
    var nutAddress: @Sendable (String) -> NUTAddress? = { _ in nil }

    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        if let service = history.service { return try await service.api.with(nutAddress).respond(to: request) }
        request.recordRoute(FleetAPI.route)
        await history.settled(within: Self.maximumWait)
        if let service = history.service { return try await service.api.with(nutAddress).respond(to: request) }
        guard !history.hasFailed else {
            return APIError(.notFound, "no history is kept, because it could not be opened: see the log").response
        }
        var response = APIError(.serviceUnavailable, "the history is still being opened").response
        response.headers["Retry-After"] = "\(Self.retryAfter)"
        return response
    }
}

extension OpeningHistory {
    /// Registers the API, the page that uses it, and the tasks that open, save and close the history. Without a usable
    /// history, `/` is the landing page.
    func declare(
        in context: ProgramContext<ExporterSettings>,
        nutAddress: @escaping @Sendable (String) -> NUTAddress?
    ) {
        context.onListening { [self] in begin() }
        context.component("history") { [self] in await run() }
        context.atEnd { [self] in await close() }
        context.routes { [self] settings, router in
            let (page, landing) = (WebPage(), context.landingPage(settings))
            WebPage.mount(on: &router)
            router.on(.get, "/", name: WebPage.route) { [self] request in
                // The page depends on the API.
                hasFailed ? landing : try await page.respond(to: request)
            }
            router.mount(
                FleetAPI.prefix,
                name: FleetAPI.route,
                OpeningAPI(history: self, nutAddress: nutAddress)
            )
        }
    }
}
