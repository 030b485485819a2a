// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPCore
import WPSettings

@Suite struct ProxySettingTests {
    private static let variable = "WINPOWER_EXPORTER_WINPOWER_PROXY"

    @Test func ignoresTheEnvironmentByDefault() throws {
        let loaded = try Loading.load(environment: ["http_proxy": "http://p:1", "https_proxy": "http://p:1"])
        #expect(loaded.settings.winpower.proxy == .none)
    }

    @Test func acceptsKeywords() throws {
        #expect(try Loading.load(yaml: "winpower: {proxy: environment}").settings.winpower.proxy == .environment)
        #expect(try Loading.load(environment: [Self.variable: "NONE"]).settings.winpower.proxy == .none)
    }

    @Test func keepsButHidesCredentials() throws {
        let url = "http://user:hunter2@proxy.example:3128"
        let loaded = try Loading.load(environment: [Self.variable: url])
        guard case .address(let address) = loaded.settings.winpower.proxy else {
            Issue.record("found \(loaded.settings.winpower.proxy)")
            return
        }
        #expect(address.url.reveal() == url)
        let shown = try #require(loaded.effective.first { $0.key == "winpower.proxy" }?.value)
        #expect(shown == "http://<REDACTED>@proxy.example:3128")
        var dumped = ""
        dump(loaded.settings, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    @Test(arguments: [
        "https://user:hunter2@p:1", "http://user:hunter2@p/x", "user:hunter2@p:1", "http://user:hunter2@",
    ])
    func rejectsOtherStringsWithoutQuotingThem(_ text: String) {
        let faults = Loading.faults(environment: [Self.variable: text])
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { $0.hasPrefix(Self.variable) && !$0.contains("hunter2") }, "\(faults)")
    }
}
