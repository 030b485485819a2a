// SPDX-License-Identifier: MIT

package import WPHTTP
package import WPServer

/// `PUT /-/reload`, and POST as Prometheus has it: loads the settings again. Served under `server.enable_reload` only.
///
/// 200 says what has changed; 422 lists the faults of settings that were refused.
struct ReloadEndpoint: HTTPHandler {
    let reload: @Sendable () async -> SettingsReloader.Outcome

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
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
