// SPDX-License-Identifier: MIT

package import WPHTTP
package import WPModel

/// What carries a report to a hub: `HTTPClient`, or a fake in a test.
package protocol HubTransport: Sendable {
    /// Sends a request and gives its response, whatever its status.
    /// - Throws: `HTTPClientError` when there is no response, `CancellationError` when the task was cancelled.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}

extension HTTPClient: HubTransport {}

/// The hub that reports go to.
package struct HubTarget: Sendable {
    /// Its address, as the log names it.
    package var address: String
    /// The way there.
    package var transport: any HubTransport
    /// Gives the bearer token for each attempt; nil when the hub admits everybody.
    package var token: (@Sendable () async throws -> Secret)?

    /// - Parameter token: gives the bearer token for each attempt; nil when the hub admits everybody.
    package init(
        address: String,
        transport: any HubTransport,
        token: (@Sendable () async throws -> Secret)? = nil
    ) {
        self.address = address
        self.transport = transport
        self.token = token
    }
}
