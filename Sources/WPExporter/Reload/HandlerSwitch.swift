// SPDX-License-Identifier: MIT

import Synchronization
package import WPHTTP
package import WPServer

/// A handler that can be replaced while it is in use. A request is answered by the handler that it came to.
package final class HandlerSwitch: HTTPHandler {
    private let handler: Mutex<any HTTPHandler>

    /// A switch that has nothing to say yet.
    package init() {
        handler = Mutex(ClosureHTTPHandler { _ in HTTPResponse(status: .serviceUnavailable) })
    }

    package func replace(with handler: any HTTPHandler) {
        self.handler.withLock { $0 = handler }
    }

    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let handler = handler.withLock { $0 }
        return try await handler.respond(to: request)
    }
}
