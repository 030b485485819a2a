// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPConfig
import WPCore
@testable import WPExporter
import WPHTTP
import WPLogging

/// The modules' configurations that result from the settings.
@Suite struct ConfigurationsTests {
    private func client(_ change: (inout WinPowerSettings) -> Void) throws -> HTTPClient.Configuration {
        var settings = ExporterSettings().winpower
        settings.baseURL = try WinPowerURL("https://winpower.example")
        settings.username = "admin"
        settings.password = Secret("hunter2")
        change(&settings)
        return try HTTPClient.Configuration(
            settings,
            try #require(settings.target),
            userAgent: "test/1",
            logger: .silent
        )
    }

    @Test func mapsCertificateVerification() throws {
        #expect(try client { _ in }.verification == .system)
        #expect(try client { $0.caFile = "/ca.pem" }.verification == .authorities(path: "/ca.pem"))
        #expect(try client { $0.skipSSLVerify = true }.verification == .none)
        let digits = String(repeating: "ab", count: 32)
        let pinned = try client {
            $0.tlsFingerprint = digits
            $0.skipSSLVerify = true
            $0.caFile = "/ca.pem"
        }
        #expect(pinned.verification == .pinned(try #require(TLSFingerprint(digits))))
        #expect(throws: (any Error).self) { try client { $0.tlsFingerprint = "ab" } }
    }

    @Test func mapsThePageConcurrency() {
        var settings = ExporterSettings().winpower
        #expect(WinPowerClient.Configuration(settings).maxConcurrentPages == 4)
        settings.pageConcurrency = 9
        #expect(WinPowerClient.Configuration(settings).maxConcurrentPages == 9)
    }

    @Test func mapsTheServerName() throws {
        #expect(try client { _ in }.tlsServerName == nil)
        #expect(try client { $0.tlsServerName = "ups.internal" }.tlsServerName == "ups.internal")
    }
}
