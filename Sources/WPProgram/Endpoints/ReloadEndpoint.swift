// SPDX-License-Identifier: MIT

package import WPHTTP
import WPServer

/// `PUT /-/reload`, or POST as in Prometheus: reloads the settings. Only with `server.enable_reload`.
///
/// A POST requires the `X-Requested-With` header with any value, because a form on another site can send a POST but
/// neither a PUT nor such a header. 200 lists the changes; 422 lists the faults of rejected settings, or says that
/// there is nothing to reload.
package struct ReloadEndpoint: HTTPHandler {
    private let reload: @Sendable () async -> ReloadOutcome

    package init(_ reload: @escaping @Sendable () async -> ReloadOutcome) {
        self.reload = reload
    }

    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method != .post || request.headers["X-Requested-With"] != nil else {
            let advice = "send PUT, or POST with the header X-Requested-With"
            var response = try JSONReply.ok(Report(status: "refused", faults: [advice]))
            response.status = .forbidden
            return response
        }
        switch await reload() {
        case .applied(let changed, let waiting, let warnings):
            return try JSONReply.ok(
                Report(status: "reloaded", changed: changed, needRestart: waiting, warnings: warnings)
            )
        case .rejected(let faults):
            var response = try JSONReply.ok(Report(status: "refused", faults: faults))
            response.status = HTTPStatus(code: 422, reason: "Unprocessable Content")
            return response
        }
    }

    private struct Report: Encodable {
        var status: String
        var changed: [String]?
        var needRestart: [String]?
        var warnings: [String]?
        var faults: [String]?

        enum CodingKeys: String, CodingKey {
            case status, changed, warnings, faults
            case needRestart = "need_restart"
        }
    }
}
