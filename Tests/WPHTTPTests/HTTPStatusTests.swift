// SPDX-License-Identifier: MIT

import Testing

@testable import WPHTTP

/// Codes and phrases of statuses, and configured limits.
struct HTTPStatusTests {
    @Test(arguments: [
        (100, "100 Continue"), (101, "101 Switching Protocols"), (200, "200 OK"), (204, "204 No Content"),
        (308, "308 Permanent Redirect"), (404, "404 Not Found"), (413, "413 Content Too Large"),
        (431, "431 Request Header Fields Too Large"), (505, "505 HTTP Version Not Supported"), (599, "599"),
    ])
    func hasTheReasonPhraseOfTheRFC(code: Int, text: String) {
        #expect(HTTPStatus(code: code).description == text)
    }

    @Test func isSuccessfulFrom200To299() {
        let codes = [199, 200, 299, 300]
        #expect(codes.map { HTTPStatus(code: $0).isSuccess } == [false, true, true, false])
    }

    @Test func acceptsALimitOfNoHeaderLines() {
        #expect(HTTPLimits(maxHeaderCount: 0).maxHeaderCount == 0)
        #expect(HTTPLimits(maxHeaderCount: -1).maxHeaderCount == 0)
    }
}
