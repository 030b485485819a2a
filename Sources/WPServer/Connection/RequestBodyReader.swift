// SPDX-License-Identifier: MIT

import WPHTTP

/// The body of one request, read when its handler asks for it.
///
/// Unchecked because its state is used only on the loop's thread, to which ``read(upTo:)`` switches.
final class RequestBodyReader: HTTPRequestBodySource, @unchecked Sendable {
    private enum State {
        /// Nothing has been read.
        case unread
        case reading
        case done([UInt8])
        /// Reading failed, or the request was answered.
        case ended
    }

    private let connection: HTTPConnection
    private let framing: HTTPBodyFraming
    private let expectsContinue: Bool
    private let loop: EventLoop
    private var state = State.unread

    /// Why the body is unavailable.
    private(set) var end: ConnectionEnd?

    init(_ connection: HTTPConnection, _ framing: HTTPBodyFraming, expectsContinue: Bool, loop: EventLoop) {
        self.connection = connection
        self.framing = framing
        self.expectsContinue = expectsContinue
        self.loop = loop
    }

    func read(upTo limit: Int) async throws -> [UInt8] {
        guard !loop.isCurrent else { return try await readOnLoop(upTo: limit) }
        return try await withTaskExecutorPreference(loop) { try await readOnLoop(upTo: limit) }
    }

    private nonisolated(nonsending) func readOnLoop(upTo limit: Int) async throws -> [UInt8] {
        switch state {
        case .done(let bytes):
            guard bytes.count <= limit else { throw fail(.rejected(.bodyTooLarge)) }
            return bytes
        case .reading: throw HTTPBodyMisuse(description: "a request's body is being read by two tasks at the same time")
        case .ended: throw HTTPBodyMisuse(description: "a request's body was read after its end")
        case .unread: break
        }
        if case .length(let length) = framing, length > limit { throw fail(.rejected(.bodyTooLarge)) }
        state = .reading
        do throws(ConnectionEnd) {
            let bytes = try await connection.readBody(framing, expectsContinue: expectsContinue, limit: limit)
            state = .done(bytes)
            return bytes
        } catch {
            state = .ended
            throw fail(error)
        }
    }

    /// - Returns: the error for the handler.
    private func fail(_ end: ConnectionEnd) -> any Error {
        self.end = end
        if case .rejected(let status, let code?, let message) = end {
            return HTTPWireError(code, status: status, message)
        }
        return end
    }

    /// Ends reading after the response.
    /// - Returns: whether the next bytes belong to the next request.
    func finish() -> Bool {
        defer { state = .ended }
        switch state {
        case .done: return true
        case .unread: return connection.dropArrivedBody(framing)
        case .reading, .ended: return false
        }
    }
}

/// Invalid use of a body by the handler.
struct HTTPBodyMisuse: Error, CustomStringConvertible {
    let description: String
}
