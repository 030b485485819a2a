// SPDX-License-Identifier: MIT

import WPClient
package import WPConfig
import WPHTTP
package import WPLogging
import WPModel
package import WPServer

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
            refreshThreshold: settings.refreshThreshold,
            maxConcurrentPages: settings.pageConcurrency
        )
    }
}

extension HTTPClient.Configuration {
    /// The settings of `winpower.*` that are about the way there.
    /// - Throws: when the environment names a proxy whose address is invalid.
    init(_ settings: WinPowerSettings, _ target: WinPowerTarget, logger: Logger) throws {
        let origin = try HTTPOrigin(parsing: target.baseURL.description)
        let proxy = try HTTPProxy.named(by: settings.proxy, for: origin)
        if let proxy { logger.info("WinPower is read through a proxy", ["proxy": .string(proxy.description)]) }
        let verification: TLSVerification =
            if let text = settings.tlsFingerprint {
                // A text that a load has not checked must not mean that any certificate will do.
                .pinned(try TLSFingerprint(text) ?? { throw UnusableFingerprint() }())
            } else if settings.skipSSLVerify {
                .none
            } else if let fingerprint = settings.tlsFingerprint.flatMap(TLSFingerprint.init) {
                .pinned(fingerprint)
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
            userAgent: "\(Version.program)/\(Version.number)",
            proxy: proxy
        )
    }
}

extension HTTPClient.Configuration {
    /// The settings of `hub.*` that are about the way there.
    /// - Throws: when the environment names a proxy whose address is invalid.
    init(_ settings: HubSettings, _ url: WinPowerURL) throws {
        let origin = try HTTPOrigin(parsing: url.description)
        self.init(
            origin: origin,
            verification: settings.caFile.map { .authorities(path: $0) } ?? .system,
            userAgent: "\(Version.program)/\(Version.number)",
            proxy: try .named(by: settings.proxy, for: origin)
        )
    }
}

extension HTTPProxy {
    /// The proxy of a setting; nil for none.
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

extension HTTPServer.Configuration {
    /// The settings of `server.*`.
    /// - Parameter tls: what those of `server.tls.*` come to; nil for plain HTTP.
    package init(_ settings: ExporterSettings, tls: (any TLSContextSource)?) {
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

extension LoggingConfiguration {
    /// The settings of `logging.*` as the log takes them.
    package init(_ settings: LoggingSettings) {
        self.init(
            level: LogLevel(settings.level),
            moduleLevels: settings.levels.named,
            format: settings.format == .json ? .json : .console,
            output: {
                switch settings.output {
                case .stdout: .standardOutput
                case .stderr: .standardError
                case .file(let path): .file(path)
                }
            }(),
            maxSizeMB: settings.maxSize,
            maxAgeDays: settings.maxAge,
            maxBackups: settings.maxBackups,
            compress: settings.compress,
            enableCaller: settings.enableCaller,
            enableStacktrace: settings.enableStacktrace
        )
    }
}

extension LogLevel {
    /// A level as the settings have it.
    package init(_ level: LoggingSettings.Level) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .warn: self = .warn
        case .error: self = .error
        }
    }
}

extension ModuleLevels {
    /// The levels by the names that loggers have.
    package var named: [String: LogLevel] {
        levels.reduce(into: [:]) { $0[$1.key.rawValue] = LogLevel($1.value) }
    }
}
