// SPDX-License-Identifier: MIT

public import WPHTTP

/// Carries one HTTP exchange to the WinPower server. The client knows paths and bodies; the transport knows host, port,
/// TLS, connections and their limits.
public protocol WinPowerTransport: Sendable {
    /// Sends a request and gives the whole response, whatever its status. It must not follow redirects: the request
    /// carries credentials.
    /// - Parameters:
    ///   - request: what to send. Host, Content-Length, Connection and Accept-Encoding are the transport's business.
    ///   - timeout: the longest that all of it may take, from connecting to the last byte of the body.
    /// - Returns: the response with its body complete and decompressed.
    /// - Throws: `HTTPClientError` when there is no response, `CancellationError` promptly when the task is cancelled.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}
