// SPDX-License-Identifier: MIT

import WPCore
import WPFleet
import WPHTTP
import WPServer

/// `POST /metrics/node` and `POST /metrics/ups`.
struct ReportEndpoint {
    enum Kind: String, CaseIterable {
        case node, ups
    }

    /// The maximum size of a report, in bytes.
    static let maxBytes = 1 << 20

    let kind: Kind
    let intake: ReportIntake

    /// - Parameter sender: the sender that the request's token identifies.
    func respond(to request: HTTPRequest, from sender: ReportIntake.Sender) async throws -> HTTPResponse {
        guard Self.isJSON(request.headers) else {
            intake.countRejected(.malformed)
            return APIError(HTTPStatus(code: 415), "a report needs the header Content-Type: application/json").response
        }
        let body: [UInt8]
        do {
            body = try await request.readBody(upTo: Self.maxBytes)
        } catch let error as HTTPWireError {
            if error.code == .bodyTooLarge { intake.countRejected(.tooLarge) }
            throw error
        }
        let names = ReportStamp.headers
        let stamp = ReportStamp(
            boot: request.headers[names.boot],
            sequence: request.headers[names.sequence],
            age: request.headers[names.age]
        )
        return await HTTPServer.offload { answer(body, sender, stamp) }
    }

    /// Whether the content type is JSON. Other types can be sent by pages of other sites without a preflight request.
    private static func isJSON(_ headers: HTTPFields) -> Bool {
        let types = headers.values(of: "Content-Type")
        guard types.count == 1, let type = types.first?.split(separator: ";").first else { return false }
        return type.split(separator: " ").map { $0.lowercased() } == ["application/json"]
    }

    /// The maximum number of devices listed in a response.
    private static let maxNamed = 100

    /// The rejected devices, as members of a JSON object with a leading comma.
    private static func members(_ rejections: [ReportIntake.Rejection]) -> String {
        guard !rejections.isEmpty else { return "" }
        let named = rejections.prefix(maxNamed).map { rejection in
            "{\"id\":\(JSONText.quoted(rejection.id, limit: 256)),\"reason\":\"\(rejection.reason.rawValue)\"}"
        }
        return ",\"rejected\":\(rejections.count),\"rejections\":[\(named.joined(separator: ","))]"
    }

    private func answer(_ body: [UInt8], _ sender: ReportIntake.Sender, _ stamp: ReportStamp?) -> HTTPResponse {
        do {
            let receipt =
                try kind == .node
                ? intake.ingestNode(body, from: sender, stamp: stamp)
                : intake.ingestUPSes(body, from: sender, stamp: stamp)
            return .json(
                "{\"status\":\"ok\",\"recorded\":\(receipt.recorded),\"duplicates\":\(receipt.duplicates)"
                    + "\(Self.members(receipt.rejections))}\n"
            )
        } catch let reason as ReportIntake.RejectionReason {
            let status: HTTPStatus =
                switch reason {
                case .expired: HTTPStatus(code: 422)
                case .tooMany: .serviceUnavailable
                case .forbidden: HTTPStatus(code: 403)
                case .tooLarge: HTTPStatus(code: 413)
                case .malformed, .name: .badRequest
                }
            return APIError(status, reason.message).response
        } catch {
            return APIError(.badRequest, "\(error)").response
        }
    }
}
