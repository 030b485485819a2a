// SPDX-License-Identifier: MIT

public import WPCore
package import WPSettings

/// The HTTP server of the program: `server.*`.
public struct ServerSettings: Sendable, Hashable {
    /// The address to listen on: IPv4, IPv6 or a host name.
    public var host: String
    /// The port to listen on; 0 picks a free one.
    public var port: Int
    /// Additional addresses to listen on.
    package var additionalAddresses: [ListenAddress] = []
    /// The time limit for a client to send a whole request.
    package var readTimeout: Duration = .seconds(30)
    /// The time limit for a TLS handshake and the head of a request. If unset, at most ``readTimeout``.
    package var headerTimeout: Duration = .seconds(10)
    /// The time limit for the body of a request. If unset, at most ``readTimeout``.
    package var bodyTimeout: Duration = .seconds(20)
    /// The time limit for sending a whole response.
    package var writeTimeout: Duration = .seconds(30)
    /// How long an idle connection stays open.
    package var idleTimeout: Duration = .seconds(60)
    /// The maximum number of concurrent connections.
    package var maxConnections = 1024
    /// The number of requests on one connection before it is closed.
    package var maxRequestsPerConnection = 10_000
    /// The maximum length of a request line, in bytes.
    package var maxRequestLineBytes = 8 << 10
    /// The maximum size of a header, in bytes.
    package var maxHeaderBytes = 32 << 10
    /// The maximum number of header lines.
    package var maxHeaderCount = 100
    /// The maximum size of a request's body, in bytes.
    package var maxBodyBytes = 4 << 10
    /// The maximum number of bytes of pipelined requests that are buffered.
    package var maxPipelinedBytes = 16 << 10
    /// How long a shutdown waits for open requests.
    public var shutdownTimeout: Duration = .seconds(5)
    /// Whether the debug page is served.
    public var enablePprof = false
    /// Whether requests may reload the settings.
    public var enableReload = false
    /// Access control.
    public var auth = ServerAuthSettings()
    /// The server's certificate and client authentication.
    public var tls = ServerTLSSettings()

    /// The defaults.
    /// - Parameters:
    ///   - host: the address to listen on: IPv4, IPv6 or a host name.
    ///   - port: the port to listen on; 0 picks a free one.
    public init(host: String = "0.0.0.0", port: Int) {
        (self.host, self.port) = (host, port)
    }
}

/// The server's certificate and client authentication: `server.tls.*`. Without ``certFile`` and ``keyFile`` the server
/// uses plain HTTP.
public struct ServerTLSSettings: Sendable, Hashable {
    /// Whether clients must present a certificate.
    public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
        /// A client without a certificate is rejected.
        case required
        /// A client without a certificate is accepted; one with an invalid certificate is rejected.
        case optional
    }

    /// A version of TLS.
    package enum Version: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.2.
        case v12 = "1.2"
        /// TLS 1.3.
        case v13 = "1.3"
    }

    /// The PEM file with the certificate and its intermediate certificates.
    public var certFile: String?
    /// The PEM file with the private key.
    public var keyFile: String?
    /// The PEM file with the certificate authorities for clients; nil requests no certificate.
    public var clientCAFile: String?
    /// Whether clients must present a certificate; applies if ``clientCAFile`` is set.
    public var clientAuth: ClientAuthentication = .required
    /// DNS names separated by commas, one of which a client's certificate must have; nil allows any.
    public var clientNames: String?
    /// The minimum version of TLS.
    package var minVersion: Version = .v12

    /// Creates settings without TLS.
    public init() {}

    /// The names of ``clientNames``.
    package var clientNameList: [String] { ServerSettings.names(in: clientNames) }
}

/// Access control: `server.auth.*`. If nothing is set, access is open.
public struct ServerAuthSettings: Sendable, Hashable {
    /// The user name of Basic authentication (RFC 7617), without a colon; nil for none.
    public var username: String?
    /// Its password, unless ``passwordFile`` names a file.
    public var password: Secret?
    /// The file that contains the password.
    public var passwordFile: String?
    /// The hash of the password in the format of crypt(3), unless ``passwordHashFile`` names a file.
    public var passwordHash: Secret?
    /// The file that contains the hash of the password.
    public var passwordHashFile: String?
    /// The token of Bearer authentication (RFC 6750), unless ``bearerTokenFile`` names a file.
    public var bearerToken: Secret?
    /// The file that contains the token.
    public var bearerTokenFile: String?

    /// Creates settings without access control.
    public init() {}

    /// The source of the Basic password; nil if there is none.
    package var passwordSource: SecretSource? { SecretSource(value: password, file: passwordFile) }
    /// The source of the Basic password's hash; nil if there is none.
    package var passwordHashSource: SecretSource? { SecretSource(value: passwordHash, file: passwordHashFile) }
    /// The source of the Bearer token; nil if there is none.
    package var bearerTokenSource: SecretSource? { SecretSource(value: bearerToken, file: bearerTokenFile) }

    /// Whether requests need a password or a token.
    package var isSet: Bool { username != nil || bearerTokenSource != nil }
}

extension ServerSettings {
    /// The names in a comma-separated list, without surrounding spaces.
    package static func names(in list: String?) -> [String] {
        (list ?? "").split(separator: ",").map { name in
            String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }
}
