// SPDX-License-Identifier: MIT

package import WPHTTP
package import WPLogging
package import WPServer

// Maps settings to the configurations of modules, none of which depends on the settings.

extension HTTPServer.Configuration {
    /// The settings of `server.*`.
    /// - Parameter tls: the TLS context from `server.tls.*`; nil for plain HTTP.
    package init(_ server: ServerSettings, tls: (any TLSContextSource)?, gracefulTimeout: Duration) {
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
            gracefulTimeout: gracefulTimeout,
            tls: tls
        )
        additionalAddresses = server.additionalAddresses.map(\.pair)
    }
}

extension LoggingConfiguration {
    /// The log configuration from `logging.*`.
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
    /// The log level of a setting.
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
    /// The levels by logger name.
    package var named: [String: LogLevel] {
        levels.reduce(into: [:]) { $0[$1.key.rawValue] = LogLevel($1.value) }
    }
}

extension TLSServerConfiguration {
    /// The TLS configuration from `server.tls.*`; nil for plain HTTP.
    package init?(_ settings: ServerTLSSettings) {
        guard let certificateFile = settings.certFile, let keyFile = settings.keyFile else { return nil }
        self.init(
            identity: TLSIdentityFiles(certificateFile: certificateFile, keyFile: keyFile),
            clientAuthorityFile: settings.clientCAFile,
            requiresClientCertificate: settings.clientAuth == .required,
            clientNames: settings.clientNameList,
            minimumVersion: settings.minVersion == .v13 ? .v13 : .v12
        )
    }
}

extension ServerTLSSettings {
    /// The TLS context of these settings, reloaded when its files change; nil for plain HTTP. Reads files.
    package func context(logger: Logger) throws -> (any TLSContextSource)? {
        try TLSServerConfiguration(self).map { try RotatingTLSContext($0, logger: logger.named(.server)) }
    }
}

extension Logger {
    /// This logger under the name of a module, whose level can be set.
    package func named(_ module: LoggingSettings.Module) -> Logger {
        named(module.rawValue)
    }
}
