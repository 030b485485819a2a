// SPDX-License-Identifier: MIT

import Synchronization
package import WPHTTP
import WPServer

/// A value that can be replaced while it is in use, as on a reload. Readers keep the value they have read.
package final class Latest<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    package init(_ value: Value) {
        stored = Mutex(value)
    }

    package var value: Value {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    func update(_ change: (inout Value) -> Void) { stored.withLock { change(&$0) } }
}

extension Latest: HTTPHandler where Value == any HTTPHandler {
    package nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await value.respond(to: request)
    }
}
