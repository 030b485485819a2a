// SPDX-License-Identifier: MIT

import WPClient
import WPConfig
import WPHTTP
import WPLogging
import WPModel
import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What each module is told, of the setting tree that none of them knows.

extension WinPowerClient.Configuration {
    /// The settings of `winpower.*` that are about the API.
    init(_ settings: WinPowerSettings) {
        self.init(
            loginPath: settings.loginPath,
            devicesPath: settings.devicesPath,
            pageSize: settings.pageSize,
            deviceType: settings.deviceType,
            apiTimeout: settings.apiTimeout,
            timeout: settings.timeout,
            tokenLifetime: settings.tokenLifetime,
            refreshThreshold: settings.refreshThreshold
        )
    }
}

extension HTTPClient.Configuration {
    /// The settings of `winpower.*` that are about the way there.
    /// - Throws: when the environment names a proxy that is none.
    init(_ settings: WinPowerSettings, _ target: WinPowerTarget, logger: Logger) throws {
        let origin = try HTTPOrigin(parsing: target.baseURL.description)
        let proxy: HTTPProxy? =
            switch settings.proxy {
            case .none: nil
            case .environment: try .named(in: ProcessInfo.processInfo.environment, for: origin)
            case .address(let address): try HTTPProxy(parsing: address.url.reveal())
            }
        if let proxy { logger.info("WinPower is read through a proxy", ["proxy": .string(proxy.description)]) }
        let verification: TLSVerification =
            if settings.skipSSLVerify {
                .none
            } else if let path = settings.caFile {
                .authorities(path: path)
            } else {
                .system
            }
        self.init(
            origin: origin,
            verification: verification,
            maxBodyBytes: settings.maxResponseBytes,
            userAgent: "\(Version.program)/\(Version.number)",
            proxy: proxy
        )
    }
}

extension HTTPServer.Configuration {
    /// The settings of `server.*`.
    /// - Parameter tls: what those of `server.tls.*` come to; nil for plain HTTP.
    init(_ settings: ExporterSettings, tls: (any TLSContextSource)?) {
        let server = settings.server
        self.init(
            host: server.host,
            port: server.port,
            readTimeout: server.readTimeout,
            headerTimeout: server.headerTimeout,
            bodyTimeout: server.bodyTimeout,
            writeTimeout: server.writeTimeout,
            idleTimeout: server.idleTimeout,
            maxConnections: server.maxConnections,
            maxRequestsPerConnection: server.maxRequestsPerConnection,
            maxPipelinedBytes: server.maxPipelinedBytes,
            limits: HTTPLimits(
                maxStartLineBytes: server.maxRequestLineBytes,
                maxHeaderBytes: server.maxHeaderBytes,
                maxHeaderCount: server.maxHeaderCount,
                maxBodyBytes: server.maxBodyBytes
            ),
            gracefulTimeout: settings.scheduler.gracefulShutdownTimeout,
            tls: tls
        )
    }
}
