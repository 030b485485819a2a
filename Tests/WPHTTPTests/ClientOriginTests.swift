// SPDX-License-Identifier: MIT

import Testing
import WPHTTP

@Suite("URLs of origins")
struct ClientOriginTests {
    @Test(
        arguments: [
            ("http://ups.example", "http", "ups.example", 80, "", "ups.example"),
            ("HTTPS://UPS.Example/", "https", "ups.example", 443, "", "ups.example"),
            ("https://ups.example:8081/win/power/", "https", "ups.example", 8081, "/win/power", "ups.example:8081"),
            ("http://127.0.0.1:1", "http", "127.0.0.1", 1, "", "127.0.0.1:1"),
            ("http://[::1]:65535/a%20b", "http", "::1", 65535, "/a%20b", "[::1]:65535"),
            ("https://[2001:DB8::1]", "https", "2001:db8::1", 443, "", "[2001:db8::1]"),
            ("https://h:443", "https", "h", 443, "", "h"),
            ("http://under_score:080", "http", "under_score", 80, "", "under_score"),
        ]
    )
    func parsesAnOrigin(
        url: String,
        scheme: String,
        host: String,
        port: UInt16,
        basePath: String,
        authority: String
    ) throws {
        let origin = try HTTPOrigin(parsing: url)
        #expect(origin.scheme.rawValue == scheme)
        #expect(origin.host == host)
        #expect(origin.port == port)
        #expect(origin.basePath == basePath)
        #expect(origin.authority == authority)
        #expect(origin.description == "\(scheme)://\(authority)\(basePath)")
        #expect(try HTTPOrigin(parsing: origin.description) == origin)
    }

    @Test(
        arguments: [
            "", "ups.example", "ups.example:8081", "//ups.example", "ftp://ups.example", "http:/ups.example", "http://",
            "http:///path", "http://:80", "http://h:", "http://h:0", "http://h:65536", "http://h:-1", "http://h:+80",
            "http://h:80a", "http://h:8 0", "http://h x", " http://h", "http://h\r\n", "http://h?a=b", "http://h/#f",
            "http://h/a b", "http://h/%zz", "http://h/%2", "http://[::1", "http://[]", "http://[::1]x",
            "http://[1.2.3.4]",
            "http://[fe80::1%25eth0]", "http://::1", "http://h..x", "http://.h", "http://-h", "http://héllo",
            "http://\(String(repeating: "a", count: 254))", "http://h/\\", "http://h%41",
        ]
    )
    func rejectsAnInvalidOrigin(_ url: String) {
        let error = #expect(throws: HTTPClientError.self) { try HTTPOrigin(parsing: url) }
        #expect(error?.code == .invalidRequest)
    }

    @Test(
        arguments: [
            "http://user:hunter2@h", "http://hunter2@h/", "http://h/@hunter2?",
        ]
    )
    func rejectsAPasswordWithoutQuotingIt(_ url: String) {
        let error = #expect(throws: HTTPClientError.self) { try HTTPOrigin(parsing: url) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("hunter2") == false)
    }
}
