// SPDX-License-Identifier: MIT

package import WPHTTP
package import WPLogging
package import WPServer

// Maps settings to the configurations of modules, none of which depends on the settings.

extension HTTPServer.Configuration {
    /// The settings of `server.*`.
    /// - Parameter tls: the TLS context from `server.tls.*`; nil for plain HTTP.
    package init(_ server: ServerSettings, tls: (any TLSContextSource)?, gracefulTimeout: Duration) {
        self.init(host: server.host, port: server.port, maxConnections: server.maxConnections, tls: tls)
        readTimeout = server.readTimeout
        headerTimeout = server.headerTimeout
        bodyTimeout = server.bodyTimeout
        writeTimeout = server.writeTimeout
        idleTimeout = server.idleTimeout
        maxRequestsPerConnection = server.maxRequestsPerConnection
        maxPipelinedBytes = server.maxPipelinedBytes
        limits = HTTPLimits(
            maxStartLineBytes: server.maxRequestLineBytes,
            maxHeaderBytes: server.maxHeaderBytes,
            maxHeaderCount: server.maxHeaderCount,
            maxBodyBytes: server.maxBodyBytes
        )
        self.gracefulTimeout = gracefulTimeout
        additionalAddresses = server.additionalAddresses.map(\.pair)
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
        try TLSServerConfiguration(self).map { try RotatingTLSContext($0, logger: logger.named("server")) }
    }
}
