// SPDX-License-Identifier: MIT

public import WPHTTP

/// The transport of a push: `HTTPClient`, or a fake in a test.
public protocol PushTransport: Sendable {
    /// Sends a request and returns its response, whatever its status.
    /// - Parameters:
    ///   - request: the request; its target begins with the gateway's base path, if any, and `/metrics/job`.
    ///   - timeout: the time limit of the whole request.
    /// - Throws: `HTTPClientError` if there is no response, `CancellationError` if the task is cancelled.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}

extension HTTPClient: PushTransport {}
