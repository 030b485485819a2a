// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPSettings

@Suite struct WinPowerTLSSettingsTests {
    @Test func parsesFingerprintsInCommonFormats() throws {
        let plain = String(repeating: "0123456789abcdef", count: 4)
        let colons = stride(from: 0, to: 64, by: 2).map { String(Array(plain)[$0..<$0 + 2]).uppercased() }
        for text in [plain, plain.uppercased(), colons.joined(separator: ":")] {
            let loaded = try Loading.load(environment: ["WINPOWER_EXPORTER_WINPOWER_TLS_FINGERPRINT": text])
            #expect(loaded.settings.winpower.tlsFingerprint == plain)
        }
        // Colons elsewhere, and the characters beside the digits.
        for start in ["0:123", "/123", "012g", "`123", "012", "01234", "01:23"] {
            let odd = start + String(plain.dropFirst(4))
            let faults = Loading.faults(environment: ["WINPOWER_EXPORTER_WINPOWER_TLS_FINGERPRINT": odd])
            #expect(
                faults.first?.hasSuffix("`openssl x509 -noout -fingerprint -sha256` prints it") == true,
                "\(odd): \(faults)"
            )
        }
    }

    @Test func doesNotWarnAboutAPinnedCertificate() throws {
        let yaml = "winpower: {skip_ssl_verify: true, tls_fingerprint: \(String(repeating: "ab", count: 32))}"
        #expect(try Loading.load(yaml: yaml).warnings == [])
    }

    @Test func loadsServerNameAndPageConcurrency() throws {
        let loaded = try Loading.load(yaml: "winpower: {tls_server_name: ups.internal, page_concurrency: 8}")
        #expect(loaded.settings.winpower.tlsServerName == "ups.internal")
        #expect(loaded.settings.winpower.pageConcurrency == 8)
        #expect(ExporterSettings().winpower.pageConcurrency == 4)
        for value in ["0", "33"] { #expect(Loading.faults(yaml: "winpower: {page_concurrency: \(value)}").count == 1) }
    }
}
