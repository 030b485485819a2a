// SPDX-License-Identifier: MIT

import WPCore
import WPSockets
import WPHTTP
import WPLogging

/// The metrics and log records of connections; records that peers can cause are rate-limited.
extension ServerCore {
    /// The response to a request whose handler failed.
    var internalError: HTTPResponse { render(HTTPProblem(.internalServerError, "internal_error")) }

    func handshakeFailed(_ reason: String, channel: Channel) {
        counters.update { $0.failedHandshakes += 1 }
        report(
            .handshake,
            .info,
            "A TLS handshake failed",
            ["reason": .string(reason), "peer": Self.peer(channel)]
        )
    }

    func exchangeEnded(
        _ request: HTTPRequest,
        route: String,
        sent: HTTPConnection.Sent,
        since started: Duration,
        channel: Channel
    ) {
        let duration = loop.timeSource.now.monotonic - started
        observer?(HTTPServer.Exchange(route: route, status: sent.status, duration: duration))
        logger.debug("Request answered", Self.accessRecord(request, route, sent, duration, channel))
        guard sent.status == .unauthorized else { return }
        report(
            .unauthorized,
            .info,
            "A request was rejected",
            [
                "status": .int(sent.status.code), "reason": "credentials", "path": Self.path(request.target),
                "peer": Self.peer(channel),
            ]
        )
    }

    /// Omits the query, the body and credentials, which may contain secrets.
    private static func accessRecord(
        _ request: HTTPRequest,
        _ route: String,
        _ sent: HTTPConnection.Sent,
        _ duration: Duration,
        _ channel: Channel
    ) -> LogFields {
        var fields: LogFields = [
            "method": .string(request.method.rawValue), "path": path(request.target), "status": .int(sent.status.code),
            "duration_ms": .milliseconds(duration), "peer": peer(channel), "handler": .string(route),
            "user_agent": .string(String((request.headers["User-Agent"] ?? "").prefix(128))),
        ]
        if let bytes = sent.bodyBytes { fields.append("bytes", .int(bytes)) }
        return fields
    }

    private static func peer(_ channel: Channel) -> LogValue {
        .string(SocketOptions.peer(of: channel.descriptor) ?? "gone")
    }

    private static func path(_ target: String) -> LogValue {
        .string(String(target.prefix { $0 != "?" }.prefix(256)))
    }

    func requestRejected(_ status: HTTPStatus, _ code: HTTPWireError.Code?, channel: Channel) {
        if code == nil { counters.update { $0.timeouts += 1 } } else { counters.update { $0.malformedRequests += 1 } }
        observer?(HTTPServer.Exchange(route: HTTPServer.Exchange.malformed, status: status, duration: .zero))
        report(
            .malformed,
            .info,
            "A request was rejected",
            [
                "status": .int(status.code), "reason": .string(code.map { String(describing: $0) } ?? "timeout"),
                "peer": Self.peer(channel),
            ]
        )
    }

    func handlerFailed(_ error: any Error, target: String, isPeerGone: Bool) {
        if isPeerGone {
            logger.debug("A peer disconnected before its response was complete", ["path": Self.path(target)])
            return
        }
        counters.update { $0.handlerFailures += 1 }
        report(
            .handler,
            .error,
            "A request's handler failed",
            ["path": Self.path(target), "error": .string(String(describing: error))]
        )
    }

    func responseUnusable(_ error: HTTPWireError, target: String) {
        counters.update { $0.handlerFailures += 1 }
        report(
            .handler,
            .error,
            "A handler's response cannot be sent",
            ["path": Self.path(target), "error": .string(error.message)]
        )
    }

    func acceptFailed(_ code: Int32, connections: Int) {
        report(
            .exhausted,
            .warn,
            "Connections cannot be accepted",
            ["error": .string(systemReason(code)), "open_connections": .int(connections)]
        )
    }

    func registrationFailed(_ error: SystemCallError) {
        counters.update { $0.refusedConnections += 1 }
        report(
            .exhausted,
            .warn,
            "A connection cannot be watched and was closed",
            ["call": .string(String(describing: error.call)), "error": .string(systemReason(error.code))]
        )
    }
}
