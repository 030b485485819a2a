// SPDX-License-Identifier: MIT

import WPClient
import WPConfig
import WPCore
import WPHTTP
import WPLogging
import WPModel
import WPProgram
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Maps settings to the configurations of modules, none of which depends on the settings.

extension WinPowerClient.Configuration {
    /// The API configuration from `winpower.*`.
    init(_ settings: WinPowerSettings) {
        self.init(
            loginPath: settings.loginPath,
            devicesPath: settings.devicesPath,
            pageSize: settings.pageSize,
            deviceType: settings.deviceType,
            apiTimeout: settings.apiTimeout,
            timeout: settings.timeout,
            tokenLifetime: settings.tokenLifetime,
            refreshThreshold: settings.refreshThreshold,
            maxConcurrentPages: settings.pageConcurrency
        )
    }
}

extension HTTPClient.Configuration {
    /// The connection configuration from `winpower.*`.
    /// - Throws: if the environment names a proxy with an invalid address.
    init(_ settings: WinPowerSettings, _ target: WinPowerTarget, userAgent: String, logger: Logger) throws {
        let origin = try HTTPOrigin(parsing: target.baseURL.description)
        let proxy = try HTTPProxy.named(by: settings.proxy, for: origin)
        if let proxy { logger.info("WinPower is read through a proxy", ["proxy": .string(proxy.description)]) }
        let verification: TLSVerification =
            if let text = settings.tlsFingerprint {
                // An invalid fingerprint is an error; any other verification would accept other certificates.
                .pinned(try TLSFingerprint(text) ?? { throw UnusableFingerprint() }())
            } else if settings.skipSSLVerify {
                .none
            } else if let path = settings.caFile {
                .authorities(path: path)
            } else {
                .system
            }
        self.init(
            origin: origin,
            verification: verification,
            tlsServerName: settings.tlsServerName,
            maxBodyBytes: settings.maxResponseBytes,
            userAgent: userAgent,
            proxy: proxy
        )
    }
}

extension HTTPClient.Configuration {
    /// The connection configuration from `hub.*`.
    /// - Throws: if the environment names a proxy with an invalid address.
    init(_ settings: SenderSettings, _ url: WinPowerURL, userAgent: String) throws {
        let origin = try HTTPOrigin(parsing: url.description)
        self.init(
            origin: origin,
            verification: settings.caFile.map { .authorities(path: $0) } ?? .system,
            userAgent: userAgent,
            proxy: try .named(by: settings.proxy, for: origin)
        )
    }
}

extension HTTPProxy {
    /// The proxy that a setting names; nil for none.
    fileprivate static func named(by setting: ProxySetting, for origin: HTTPOrigin) throws -> HTTPProxy? {
        switch setting {
        case .none: nil
        case .environment: try .named(in: ProcessInfo.processInfo.environment, for: origin)
        case .address(let address): try HTTPProxy(parsing: address.url.reveal())
        }
    }
}

/// The fingerprint of the server's certificate is invalid.
private struct UnusableFingerprint: Error, CustomStringConvertible {
    var description: String { "winpower.tls_fingerprint is not a SHA-256 fingerprint" }
}
