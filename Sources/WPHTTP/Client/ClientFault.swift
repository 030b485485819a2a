// SPDX-License-Identifier: MIT

import WPSockets

/// An internal error of the client, which does not name the request.
struct ClientFault: Error, Sendable {
    /// The kind of failure.
    var code: HTTPClientError.Code
    /// What happened and what to do, as a clause for ``HTTPClientError``.
    var reason: String
    /// Whether the caller has already returned, so that nobody sees the error.
    private(set) var isInterruption = false

    init(_ code: HTTPClientError.Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The caller has returned.
    static var interrupted: ClientFault {
        var fault = ClientFault(.closed, "the client was closed")
        fault.isInterruption = true
        return fault
    }

    init(_ fault: SocketFault) {
        switch fault.kind {
        case .resolve: self.init(.resolve, fault.reason)
        case .connect: self.init(.connect, fault.reason)
        case .timeout: self.init(.timeout, fault.reason)
        case .cancelled: self = .interrupted
        }
    }

    /// Runs a socket function and converts its errors.
    static func catching<Result>(
        _ body: () throws(SocketFault) -> Result
    ) throws(ClientFault) -> Result {
        do throws(SocketFault) {
            return try body()
        } catch {
            throw ClientFault(error)
        }
    }

    init(_ error: TLSError) {
        self.init(.tls(error.fault), error.message)
    }

    init(_ error: HTTPWireError) {
        switch error.code {
        case .startLineTooLong, .headersTooLarge: code = .headersTooLarge
        case .bodyTooLarge: code = .bodyTooLarge
        default: code = .malformed
        }
        reason = "the response cannot be used. \(error.message.dropLast(error.message.hasSuffix(".") ? 1 : 0))"
    }
}
