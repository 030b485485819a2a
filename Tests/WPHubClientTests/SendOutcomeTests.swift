// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
@testable import WPHubClient

struct SendOutcomeTests {
    private func outcome(_ code: Int, _ body: String = "", retryAfter: String? = nil) -> SendOutcome {
        var response = HTTPResponse(status: HTTPStatus(code: code), body: .bytes(Array(body.utf8)))
        if let retryAfter { response.headers["Retry-After"] = retryAfter }
        return SendOutcome(response, hiding: "open-sesame")
    }

    @Test(arguments: [200, 204, 299])
    func acceptsSuccessStatuses(_ code: Int) {
        #expect(outcome(code) == .accepted)
    }

    @Test(arguments: [400, 411, 413, 415])
    func neverSendsARejectedReportAgain(_ code: Int) {
        guard case .rejected(let failure) = outcome(code) else {
            Issue.record("the report was kept")
            return
        }
        #expect(failure.reason == .rejected)
    }

    @Test(arguments: [
        (300, SendFailure.Reason.rejected, false), (401, .unauthorized, false), (402, .rejected, false),
        (403, .unauthorized, false), (404, .rejected, false), (499, .rejected, false), (500, .server, true),
        (503, .server, true),
    ])
    func keepsReportsThatMayBeAcceptedLater(_ code: Int, _ reason: SendFailure.Reason, _ isTransient: Bool) {
        guard case .failed(let failure, isTransient) = outcome(code, retryAfter: "7") else {
            Issue.record("\(code): \(outcome(code))")
            return
        }
        #expect(failure.reason == reason)
        #expect(failure.retryAfter == .seconds(7))
    }

    @Test(arguments: [
        (HTTPClientError.Code.resolve, SendFailure.Reason.unreachable, true), (.connect, .unreachable, true),
        (.closed, .unreachable, true), (.timeout, .timeout, true), (.tls(.unknownAuthority), .tls, false),
        (.malformed, .server, false), (.bodyTooLarge, .server, false),
    ])
    func retriesConnectionFailures(
        _ code: HTTPClientError.Code,
        _ reason: SendFailure.Reason,
        _ isTransient: Bool
    ) {
        let outcome = SendOutcome(HTTPClientError(code: code, message: "m"))
        #expect(outcome == .failed(SendFailure(reason: reason, message: "m"), isTransient: isTransient))
    }

    @Test func quotesTheStartOfTheResponseOnOneLineWithoutSecrets() {
        guard case .rejected(let failure) = outcome(400, " a\n\tb open-sesame " + String(repeating: "x", count: 300))
        else {
            Issue.record("the report was kept")
            return
        }
        #expect(failure.message.contains(": a b "))
        #expect(!failure.message.contains("open-sesame"))
        #expect(failure.message.contains("xxx") && failure.message.count < 260)
        guard case .rejected(let long) = outcome(400, String(repeating: "x", count: 300)),
            case .rejected(let plain) = outcome(400, " \n")
        else {
            Issue.record("the report was kept")
            return
        }
        #expect(long.message.count { $0 == "x" } == 200)
        #expect(plain.message.hasSuffix("Bad Request"))
    }
}
