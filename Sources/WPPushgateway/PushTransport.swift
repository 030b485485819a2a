// SPDX-License-Identifier: MIT

public import WPHTTP

/// What carries a push to the Pushgateway: `HTTPClient`, or a fake in a test.
public protocol PushTransport: Sendable {
    /// Sends a request and gives its response, whatever its status.
    /// - Parameters:
    ///   - request: its target begins with `/metrics/job`, after the path, if any, under which the gateway is served.
    ///   - timeout: how long all of it may take.
    /// - Throws: `HTTPClientError` when there is no response, `CancellationError` when the task was cancelled.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}

extension HTTPClient: PushTransport {}
