// SPDX-License-Identifier: MIT

import Testing

@testable import WPConfig
import WPSettings

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

    /// The ASCII characters that a text may contain.
    private static func accepted(_ isValid: (String) -> Bool) -> String {
        String((UInt8(0)...0x7F).map { Character(Unicode.Scalar($0)) }.filter { isValid(String($0)) })
    }

    @Test func acceptsTheCharactersOfEachFormat() {
        let (digits, upper, lower) = ("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
        #expect(
            Self.accepted { (try? SettingFormat<String>.hostName.parse("a\($0)")) != nil }
                == "-.\(digits)\(upper)_\(lower)"
        )
        #expect(
            Self.accepted { (try? SettingFormat<String>.endpoint.parse("/\($0)")) != nil }
                == "!$%&'()*+,-./\(digits):;=@\(upper)_\(lower)~"
        )
        #expect(
            Self.accepted { (try? SettingFormat<String>.networks.parse("1\($0)")) != nil }
                == " ,./\(digits):ABCDEFabcdef"
        )
        #expect(Self.accepted { (try? WinPowerURL("http://[:\($0)]")) != nil } == ".\(digits):ABCDEFabcdef")
    }

    @Test func requiresAnEndpointToBeginWithASlash() {
        for text in ["", "a", "a/"] {
            #expect(throws: SettingMismatch.self) { try SettingFormat<String>.endpoint.parse(text) }
        }
        #expect(throws: SettingMismatch.self) { try SettingFormat<String>.hostName.parse("") }
    }
}
