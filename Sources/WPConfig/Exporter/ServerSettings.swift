// SPDX-License-Identifier: MIT

public import WPModel

/// The HTTP server that is scraped: `server.*`.
public struct ServerSettings: Sendable, Hashable {
    /// The address to listen on: IPv4, IPv6 or a host name.
    public var host = "0.0.0.0"
    /// The port to listen on; 0 picks a free one.
    public var port = 9090
    /// The time limit for a client to send a whole request.
    package var readTimeout: Duration = .seconds(30)
    /// The time limit for a TLS handshake and the head of a request. Unless it is set, at most ``readTimeout``.
    package var headerTimeout: Duration = .seconds(10)
    /// The time limit for the body of a request. Unless it is set, at most ``readTimeout``.
    package var bodyTimeout: Duration = .seconds(20)
    /// The time limit to send a whole response.
    package var writeTimeout: Duration = .seconds(30)
    /// How long an idle connection stays open.
    package var idleTimeout: Duration = .seconds(60)
    /// The maximum number of connections at a time.
    package var maxConnections = 1024
    /// The number of requests on one connection before it is closed.
    package var maxRequestsPerConnection = 10_000
    /// The maximum length of a request line, in bytes.
    package var maxRequestLineBytes = 8 << 10
    /// The maximum size of a header, in bytes.
    package var maxHeaderBytes = 32 << 10
    /// The maximum number of lines of a header.
    package var maxHeaderCount = 100
    /// The maximum size of a request's body, in bytes.
    package var maxBodyBytes = 4 << 10
    /// The maximum number of bytes of pipelined requests that are buffered.
    package var maxPipelinedBytes = 16 << 10
    /// Whether the process's own debug page is served.
    public var enablePprof = false
    /// Whether a request may reload the settings.
    public var enableReload = false
    /// Who may scrape.
    public var auth = ServerAuthSettings()
    /// The server's certificate, and what it asks of clients.
    public var tls = ServerTLSSettings()
}

/// The server's certificate, and what it asks of clients: `server.tls.*`. Without ``certFile`` and ``keyFile`` the server
/// speaks plain HTTP.
public struct ServerTLSSettings: Sendable, Hashable {
    /// Whether clients must present a certificate.
    public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
        /// A client without a certificate is rejected.
        case required
        /// A client without a certificate is served, one with an invalid certificate is rejected.
        case optional
    }

    /// A version of TLS.
    package enum Version: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.2.
        case v12 = "1.2"
        /// TLS 1.3.
        case v13 = "1.3"
    }

    /// The PEM file of the certificate and its intermediate certificates.
    public var certFile: String?
    /// The PEM file of the certificate's key.
    public var keyFile: String?
    /// The PEM file of the certificate authorities for clients' certificates; nil asks for no certificate.
    public var clientCAFile: String?
    /// Whether clients must present a certificate, once ``clientCAFile`` is set.
    public var clientAuth: ClientAuthentication = .required
    /// DNS names of which a client's certificate must have one, separated by commas; nil allows any.
    public var clientNames: String?
    /// The minimum version of TLS.
    package var minVersion: Version = .v12

    package init() {}

    /// The names of ``clientNames``.
    package var clientNameList: [String] { ServerSettings.names(in: clientNames) }
}

/// Who may scrape: `server.auth.*`. If nothing is set, everyone may.
public struct ServerAuthSettings: Sendable, Hashable {
    /// The user name of Basic authentication (RFC 7617), without a colon; nil for none.
    public var username: String?
    /// Its password, unless ``passwordFile`` names a file.
    public var password: Secret?
    /// The file that holds its password.
    public var passwordFile: String?
    /// The hash of its password, as crypt(3) makes them, unless ``passwordHashFile`` names a file.
    public var passwordHash: Secret?
    /// The file that holds the hash of its password.
    public var passwordHashFile: String?
    /// The token of Bearer authentication (RFC 6750), unless ``bearerTokenFile`` names a file.
    public var bearerToken: Secret?
    /// The file that holds the token.
    public var bearerTokenFile: String?

    package init() {}

    /// Where the Basic password comes from; nil when there is none.
    package var passwordSource: SecretSource? { SecretSource(value: password, file: passwordFile) }
    /// Where the hash of the Basic password comes from; nil when there is none.
    package var passwordHashSource: SecretSource? { SecretSource(value: passwordHash, file: passwordHashFile) }
    /// Where the Bearer token comes from; nil when there is none.
    package var bearerTokenSource: SecretSource? { SecretSource(value: bearerToken, file: bearerTokenFile) }

    /// Whether a scrape must give a password or a token.
    package var isSet: Bool { username != nil || bearerTokenSource != nil }
}

extension ServerSettings {
    /// The names in a list with commas, without the spaces around them.
    static func names(in list: String?) -> [String] {
        (list ?? "").split(separator: ",").map { name in
            String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }
}
