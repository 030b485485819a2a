// SPDX-License-Identifier: MIT

import SettingsFakes
import WPConfig
import WPSettings

/// Values that the settings accept and reject, for tests of the whole table.
enum SettingSamples {
    /// Three different valid values of a setting, none its default, in their canonical form.
    static func valid(_ setting: Setting<ExporterSettings>) -> [String] {
        switch setting.key {
        case "winpower.api_timeout", "scheduler.collection_interval": return ["1s", "2s", "3s"]
        case "server.header_timeout", "server.body_timeout": return ["1s", "2s", "3s"]
        case "server.max_pipelined_bytes": return ["2KiB", "4KiB", "1500"]
        case "energy.max_gap", "metrics.stale_after": return ["2m", "1m30s", "1m1s500ms"]
        case "winpower.timeout": return ["40s", "50s", "1m"]
        case "winpower.token_lifetime": return ["40m", "50m", "1h"]
        default: break
        }
        switch setting.type {
        case .text, .secret: return ["alpha", "beta", "gamma"]
        case .path: return ["/a/b", "./c", "d e"]
        case .custom(let type): return valid(type.placeholder)
        case .boolean: return setting.defaultText == "true" ? ["false", "false", "false"] : ["true", "true", "true"]
        case .integer(let range): return [1, 2, 5].map { String(range.lowerBound + $0) }
        case .duration: return ["2m", "1m30s", "1m1s500ms"]
        case .size: return ["65536", "1MiB", "1000001"]
        case .permissions: return ["0600", "0640", "0660"]
        case .factor: return ["off", "2", "1.25"]
        case .choice(let words): return words.filter { $0 != setting.defaultText } + words.suffix(1) + words.suffix(1)
        }
    }

    private static func valid(_ placeholder: String) -> [String] {
        switch placeholder {
        case "URL": ["http://localhost:8081", "https://b.example", "https://[::1]:8081/base"]
        case "URLPATH": ["/one", "/two", "/api/v2/%20x"]
        case "OUTPUT": ["stderr", "/var/log/x.log", "x.log"]
        case "PROXY": ["environment", "http://proxy.example:3128", "http://[::1]:3128"]
        case "TIME": ["7d", "2m", "1m30s"]
        case "NAMES": ["a.example", "a.example,b.example", "a, b"]
        case "NAME": ["a.example", "ups_1", "10.0.0.1"]
        case "ADDRESSES": ["10.0.0.1:3493", "10.0.0.1:1,[::1]:2", "localhost:3493"]
        case "DEVICE=NAME,...": ["a=b", "a=b,c=d", "x=y=z"]
        case "NETWORKS": ["10.0.0.0/8", "10.0.0.0/8, fd00::/8", "::1"]
        case "CURRENCY": ["USD", "元", "EUR"]
        case "FINGERPRINT": ["a", "b", "0"].map { String(repeating: $0, count: 64) }
        default: ["client=debug", "client=warn,server=error", "storage=info"]
        }
    }

    /// Values that a setting rejects.
    static func invalid(_ setting: Setting<ExporterSettings>) -> [String] {
        switch setting.type {
        case .text, .path: ["a\u{7}b"]
        case .secret: []
        case .custom(let type): invalid(type.placeholder)
        case .boolean: ["on", "2", "truee", "ja"]
        case .integer(let range):
            [String(range.upperBound + 1), "-1", "1.5", "0x10", "007", "one", "99999999999999999999"]
        case .duration: ["5", "5 s", "5d", "1.5s", "s", "-5s", "1s1m", "1s1s", "99999999999999999999h", "9999h"]
        case .size: ["1", "64MB", "MiB", "2GiB", "99999999999999999999GiB", "-1"]
        case .permissions: ["644", "0999", "0000", "01777", "rw-r--r--", "0444"]
        case .factor(let range):
            (range.lowerBound > 0 ? ["0.99"] : []) + [
                String(range.upperBound + 1), "-2", "1e2", "nan", "inf", ".5", "2.", "1.2.3", "1,5", "none", "0x2",
                "+2",
            ]
        case .choice: ["loud", "jsonn"]
        }
    }

    private static func invalid(_ placeholder: String) -> [String] {
        switch placeholder {
        case "URL": ["winpower", "ftp://x", "http://", "https://user:pw@host", "https://h:0", "https://h?x=1"]
        case "URLPATH": ["relative", "/with space", "/q?x"]
        case "PROXY":
            [
                "proxy.example:3128", "socks5://p:1080", "https://p:3128", "http://", "http://p/path", "http://p:0",
                "env",
            ]
        case "OUTPUT": ["a\u{7}b"]
        case "TIME": ["5", "d", "0d", "3661d", "1d1h", "-1d", "+1d", "99999999999999999999d", "59s"]
        case "NAMES": [",", " , ", "a\u{7}b"]
        case "NAME": ["a b", "a:1", "https://a"]
        case "ADDRESSES": ["a b", ",", "127.0.0.1:65536", "127.0.0.1:x", "[::1", "[::1]x", "a:1,a:1", "a:-1"]
        case "DEVICE=NAME,...": ["a", "=b", "a=", "a=b,a=c", "a=b,c"]
        case "CURRENCY": ["123456789", "U S", "a\u{202E}", "a\u{7}b"]
        case "NETWORKS": [",", "office", "10.0.0.0-8", "\u{7}"]
        case "FINGERPRINT":
            [
                "ab", String(repeating: "g", count: 64), String(repeating: "a", count: 63),
                "a:" + String(repeating: "b", count: 63),
            ]
        default:
            ["client", "client=loud", "clint=debug", "client=debug,client=info", "=debug", ",", "debug"]
        }
    }

    /// Other settings that a setting requires, as environment variables.
    static func companions(_ setting: Setting<ExporterSettings>) -> [String: String] {
        switch setting.key {
        case "server.auth.username": ["WINPOWER_EXPORTER_SERVER_AUTH_PASSWORD_FILE": "/secret"]
        case let key where key.hasPrefix("server.auth.password"): ["WINPOWER_EXPORTER_SERVER_AUTH_USERNAME": "user"]
        case "server.tls.cert_file": tls.filter { $0.key.contains("KEY") }
        case "server.tls.key_file": tls.filter { $0.key.contains("CERT") }
        case "nut.tls.cert_file": ["WINPOWER_EXPORTER_NUT_TLS_KEY_FILE": "/secret"]
        case "nut.tls.key_file": ["WINPOWER_EXPORTER_NUT_TLS_CERT_FILE": "/secret"]
        case "server.tls.client_ca_file": tls
        case let key where key.hasPrefix("server.tls.client_"):
            tls.merging(["WINPOWER_EXPORTER_SERVER_TLS_CLIENT_CA_FILE": "/secret"]) { $1 }
        default: [:]
        }
    }

    private static let tls = [
        "WINPOWER_EXPORTER_SERVER_TLS_CERT_FILE": "/secret", "WINPOWER_EXPORTER_SERVER_TLS_KEY_FILE": "/secret",
    ]

    /// The files named by the valid values.
    static let files = FakeFiles(["/a/b": "x\n", "./c": "x\n", "d e": "x\n", "/secret": "x\n"])
}
