// SPDX-License-Identifier: MIT

package import WPHTTP
import WPServer

/// `PUT /-/reload`, and POST as Prometheus has it: loads the settings again. Only with `server.enable_reload`.
///
/// A POST needs the header `X-Requested-With`, with any value: a form on somebody's web page can send a POST, but neither
/// a PUT nor such a header. 200 says what has changed; 422 lists the faults of settings that were rejected, or says
/// that there is nothing to load.
package struct ReloadEndpoint: HTTPHandler {
    private let reload: @Sendable () async -> SettingsReloader.Outcome

    package init(_ reload: @escaping @Sendable () async -> SettingsReloader.Outcome) {
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
        case .taken(let changed, let waiting, let warnings):
            return try JSONReply.ok(
                Report(status: "reloaded", changed: changed, needRestart: waiting, warnings: warnings)
            )
        case .refused(let faults):
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
