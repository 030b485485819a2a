// SPDX-License-Identifier: MIT

import Testing
import WPConfig

@Suite struct WinPowerURLTests {
    @Test(
        arguments: [
            ("https://h", WinPowerURL.Scheme.https, "h", nil, "", "https://h"),
            ("HTTP://Host.Example:8081/", .http, "Host.Example", 8081, "", "http://Host.Example:8081"),
            ("https://10.0.0.1:443/base/x//", .https, "10.0.0.1", 443, "/base/x", "https://10.0.0.1:443/base/x"),
            ("http://[fe80::1]:80", .http, "fe80::1", 80, "", "http://[fe80::1]:80"),
            ("http://[::1]", .http, "::1", nil, "", "http://[::1]"),
            ("https://[AF09::af]:1", .https, "AF09::af", 1, "", "https://[AF09::af]:1"),
            ("http://h:65535", .http, "h", 65535, "", "http://h:65535"),
        ] as [(String, WinPowerURL.Scheme, String, Int?, String, String)]
    )
    func readsAnAddress(
        _ text: String,
        _ scheme: WinPowerURL.Scheme,
        _ host: String,
        _ port: Int?,
        _ path: String,
        _ description: String
    ) throws {
        let url = try WinPowerURL(text)
        #expect(url.scheme == scheme && url.host == host && url.port == port && url.path == path)
        #expect(url.description == description)
        #expect(try WinPowerURL(url.description) == url)
    }

    @Test(arguments: [
        "", "h", "//h", "ftp://h", "http:/h", "http://", "http:///p", "http://:80", "http://h:", "http://h:0",
        "http://h:65536",
        "http://h:+1", "http://h:8 1", "http://a b", "http://a:1:2", "http://::1", "http://[::1", "http://[]",
        "http://[::1]x",
        "http://[host]", "http://u@h", "http://u:p@h", "http://h?q", "http://h/#f", "http://h/a b", "http://h/é",
        "http://hé",
        "http://h/\n", " http://h", "http://h\\x",
    ])
    func rejectsInvalidAddresses(_ text: String) {
        #expect(throws: WinPowerURL.Malformed.self) { try WinPowerURL(text) }
    }
}
