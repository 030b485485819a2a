// SPDX-License-Identifier: MIT

import Testing
import WPTestSupport

@testable import WPHTTP

/// A span that no test reaches unless it hangs.
let ample = Duration.seconds(20)

/// A client of the server on `http://127.0.0.1`, changed as a test likes.
func makeClient(
    of port: UInt16,
    url: String? = nil,
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
) throws -> HTTPClient {
    let origin = try HTTPOrigin(parsing: url ?? "http://127.0.0.1:\(port)")
    var configuration = HTTPClient.Configuration(origin: origin)
    change(&configuration)
    return try HTTPClient(configuration)
}

/// A client that looks names up as a test likes.
func makeClient(url: String, resolve: @escaping NameLookup.Resolve) throws -> HTTPClient {
    try HTTPClient(HTTPClient.Configuration(origin: HTTPOrigin(parsing: url)), resolve: resolve)
}

/// What a client makes of these bytes, sent as the answer to one request, after which the server closes.
func answer(
    _ bytes: String,
    to request: HTTPRequest = HTTPRequest(target: "/"),
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
) async throws -> HTTPResponse {
    try await answer(Array(bytes.utf8), to: request, change)
}

/// What a client makes of these bytes, sent as the answer to one request, after which the server closes.
func answer(
    _ bytes: [UInt8],
    to request: HTTPRequest = HTTPRequest(target: "/"),
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
) async throws -> HTTPResponse {
    let server = try ScriptedServer { peer in
        _ = peer.readRequest()
        peer.send(bytes)
    }
    return try await makeClient(of: server.port, change).send(request, timeout: ample)
}

/// Expects a failure of this kind, and gives it.
@discardableResult
func expectFailure(
    _ code: HTTPClientError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> HTTPResponse
) async -> HTTPClientError? {
    do {
        let response = try await body()
        Issue.record("got \(response.status) instead of \(code)", sourceLocation: sourceLocation)
    } catch let error as HTTPClientError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("got \(error) instead of \(code)", sourceLocation: sourceLocation)
    }
    return nil
}

extension HTTPResponse {
    /// The body as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
