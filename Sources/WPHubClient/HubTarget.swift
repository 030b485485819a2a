// SPDX-License-Identifier: MIT

package import WPCore
package import WPHTTP

/// The transport of reports: `HTTPClient`, or a fake in a test.
package protocol HubTransport: Sendable {
    /// Sends a request and returns its response, whatever its status.
    /// - Throws: `HTTPClientError` if there is no response, `CancellationError` if the task is cancelled.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}

extension HTTPClient: HubTransport {}

/// The hub that reports go to.
package struct HubTarget: Sendable {
    /// Its address in the log.
    package var address: String
    /// The transport.
    package var transport: any HubTransport
    /// Returns the bearer token for each attempt; nil if the hub needs none.
    package var token: (@Sendable () async throws -> Secret)?

    /// - Parameter token: returns the bearer token for each attempt; nil if the hub needs none.
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
