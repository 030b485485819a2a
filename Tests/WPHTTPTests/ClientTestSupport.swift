// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPSockets
import WPTestKit

@testable import WPHTTP

/// A duration that no test reaches unless it hangs.
let ample = Duration.seconds(20)

/// A client of the server on `http://127.0.0.1`, with a test's changes.
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

/// A client with a test's name lookup.
func makeClient(url: String, resolve: @escaping NameLookup.Resolve) throws -> HTTPClient {
    try HTTPClient(HTTPClient.Configuration(origin: HTTPOrigin(parsing: url)), resolve: resolve)
}

/// The client's result for these bytes, sent as the response to one request before the server closes.
func answer(
    _ bytes: String,
    to request: HTTPRequest = HTTPRequest(target: "/"),
    _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
) async throws -> HTTPResponse {
    try await answer(Array(bytes.utf8), to: request, change)
}

/// The client's result for these bytes, sent as the response to one request before the server closes.
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

/// A server that answers requests by number, counted from 1 over all connections.
struct CountingServer {
    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    private let server: ScriptedServer
    private let counter: Counter

    /// - Parameters:
    ///   - last: the number of the request after which the connection is closed.
    ///   - answer: the response to a request; nil closes the connection.
    init(closingAfter last: Int? = nil, _ answer: @escaping @Sendable (_ number: Int) -> String?) throws {
        let counter = Counter()
        self.counter = counter
        server = try ScriptedServer { peer in
            while peer.readRequest() != nil {
                let number = counter.count.withLock { count in
                    count += 1
                    return count
                }
                guard let bytes = answer(number) else { return }
                peer.send(bytes)
                if number == last { return }
            }
        }
    }

    var port: UInt16 { server.port }

    /// The number of connections.
    var accepted: Int { server.accepted }

    /// The number of requests.
    var requests: Int { counter.count.withLock { $0 } }
}

/// Expects a failure of this kind, and returns it.
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

@Suite("Scripted servers")
struct ScriptedServerTests {
    @Test func aWaitTimesOut() async throws {
        let server = try ScriptedServer { _ in }
        await #expect(throws: (any Error).self) { try await server.waitForEnds(1, within: .milliseconds(20)) }
    }
}
