// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing

@testable import WPConfig
import WPSettings

@Suite struct NUTSettingsTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:3493"), ("[::1]", "[::1]:3493"), ("::1", "[::1]:3493"), ("[::1]:1", "[::1]:1"),
        ("[fe80::1%eth0]:0", "[fe80::1%eth0]:0"), ("ups-1.example:65535", "ups-1.example:65535"),
        ("a:1, b:2,a:3", "a:1,b:2,a:3"),
        (list(of: 16), list(of: 16)),
    ])
    func readsAddresses(_ text: String, _ expected: String) throws {
        #expect(try SettingFormat<NUTAddresses>.nutAddresses.parse(text).description == expected)
    }

    @Test(arguments: [
        "", ",", "a,", "a,,b", "a,a:3493", "a:65536", "a:x", "a:+1", ":1", "[]:1", "[::1", "[::1]1", "a b", "a/b",
        list(of: 17),
    ])
    func rejectsOtherAddresses(_ text: String) {
        #expect(throws: SettingMismatch.self) { try SettingFormat<NUTAddresses>.nutAddresses.parse(text) }
    }

    private static func list(of count: Int) -> String {
        (1...count).map { "h:\($0)" }.joined(separator: ",")
    }

    @Test(arguments: [
        ("", []), ("a=rack", ["a", "rack"]), ("a=b=rack, c=hall,", ["a=b", "rack", "c", "hall"]),
        ("caf\u{E9}=x,cafe\u{301}=y", ["caf\u{E9}", "x", "cafe\u{301}", "y"]),
    ])
    func readsNames(_ text: String, _ expected: [String]) throws {
        let names = try SettingFormat<NUTNames>.nutNames.parse(text)
        #expect(names.all.flatMap { [$0.device, $0.name] } == expected)
        #expect(try SettingFormat<NUTNames>.nutNames.parse(names.description) == names)
    }

    @Test(arguments: ["a", "=rack", "a=", "a=x,a=y", " =x"])
    func rejectsOtherNames(_ text: String) {
        #expect(throws: SettingMismatch.self) { try SettingFormat<NUTNames>.nutNames.parse(text) }
    }

    @Test(arguments: ["low_battery_percent: 10", "allow: '10.0.0.0/8,192.168.0.0/16'", "allow: 192.168.0.0/16"])
    func furtherNetworksWeakenAccess(_ text: String) throws {
        let old = try Loading.load(yaml: "nut: {allow: '10.0.0.0/8,fd00::/8'}")
        let new = try Loading.load(yaml: "nut: {\(text)}")
        #expect(SettingsUpdate(from: old, to: new).weakened.map { $0.prefix { $0 != ":" } } == ["nut.allow"])
        let fewer = try Loading.load(yaml: "nut: {allow: fd00::/8}")
        #expect(SettingsUpdate(from: old, to: fewer).weakened.isEmpty)
    }

    @Test(arguments: ["", " ", ",", " , "])
    func rejectsNetworksThatNameNone(_ text: String) {
        #expect(throws: SettingMismatch.self) { try SettingFormat<String>.networks.parse(text) }
    }

    @Test(
        arguments: [
            ("require_tls_for_login: false", "nut.require_tls_for_login"),
            ("require_tls_for_login: true", "nut.listen"),
            ("require_tls_for_login: true, tls: {cert_file: /f, key_file: /f}", nil),
            ("require_tls_for_login: false, tls: {cert_file: /f, key_file: /f}", "nut.require_tls_for_login"),
        ] as [(String, String?)]
    )
    func warnsAboutLoginsFromOtherMachines(_ settings: String, _ key: String?) throws {
        func warnings(_ rest: String) throws -> [Substring] {
            let yaml = "nut: {\(settings), \(rest)}"
            return try Loading.load(yaml: yaml, files: FakeFiles(["/f": "x"])).warnings.map { $0.prefix { $0 != " " } }
        }
        let expected = key.map { [$0[...]] } ?? []
        #expect(try warnings("enabled: true, listen: '127.0.0.1,[::]:3493', users_file: /f") == expected)
        #expect(try warnings("enabled: true, listen: '[::]:3493'") == [])
        #expect(try warnings("enabled: true, listen: '127.0.0.1,[::1]', users_file: /f") == [])
        #expect(try warnings("enabled: false, listen: '[::]:3493', users_file: /f") == [])
    }
}
