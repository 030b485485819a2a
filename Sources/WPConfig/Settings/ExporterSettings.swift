// SPDX-License-Identifier: MIT

public import WPModel

/// Every setting of the exporter as a typed value.
///
/// A fresh value holds the defaults; the names, ranges and meanings are the rows of ``SettingTable``.
/// ``SettingsLoader`` fills it from a file, the environment and flags, and then keeps to the ranges; a value changed by
/// hand is not checked.
public struct ExporterSettings: Sendable, Hashable {
    /// The HTTP server that is scraped.
    public var server = ServerSettings()
    /// The WinPower server that is read.
    public var winpower = WinPowerSettings()
    /// Where energy totals are kept.
    public var storage = StorageSettings()
    /// How energy is summed.
    public var energy = EnergySettings()
    /// When devices are read.
    public var scheduler = SchedulerSettings()
    /// What is served.
    public var metrics = MetricsSettings()
    /// What is logged, and where.
    public var logging = LoggingSettings()

    /// Creates the defaults.
    public init() {}
}

/// `server.*`
public struct ServerSettings: Sendable, Hashable {
    /// The address to listen on, IPv4, IPv6 or a host name.
    public var host = "0.0.0.0"
    /// The port to listen on; 0 takes a free one.
    public var port = 9090
    /// The longest time for a client to send a whole request.
    public var readTimeout: Duration = .seconds(30)
    /// The longest time for a TLS handshake and the head of a request. Unless it is set, at most ``readTimeout``.
    public var headerTimeout: Duration = .seconds(10)
    /// The longest time for the body of a request. Unless it is set, at most ``readTimeout``.
    public var bodyTimeout: Duration = .seconds(20)
    /// The longest time to send a whole response.
    public var writeTimeout: Duration = .seconds(30)
    /// How long an idle connection stays open.
    public var idleTimeout: Duration = .seconds(60)
    /// Connections at the same time.
    public var maxConnections = 1024
    /// Requests on one connection before it is closed.
    public var maxRequestsPerConnection = 10_000
    /// The longest request line, in bytes.
    public var maxRequestLineBytes = 8 << 10
    /// The largest header, in bytes.
    public var maxHeaderBytes = 32 << 10
    /// The most lines of a header.
    public var maxHeaderCount = 100
    /// The largest body of a request, in bytes.
    public var maxBodyBytes = 4 << 10
    /// How many bytes of requests are held that a client sends ahead.
    public var maxPipelinedBytes = 16 << 10
    /// Whether the process's own debug page is served.
    public var enablePprof = false
    /// Whether a request may have the settings loaded again.
    public var enableReload = false
    /// Who may scrape.
    public var auth = ServerAuthSettings()
    /// The certificate that the server shows.
    public var tls = ServerTLSSettings()

    /// Creates the defaults.
    public init() {}
}

/// `server.tls.*`: without ``certFile`` and ``keyFile`` the server speaks plain HTTP.
public struct ServerTLSSettings: Sendable, Hashable {
    /// Whether clients must show a certificate.
    public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
        /// One without a certificate is turned away.
        case required
        /// One without a certificate is served, one with an invalid certificate is not.
        case optional
    }

    /// The oldest version of TLS.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.2.
        case v12 = "1.2"
        /// TLS 1.3.
        case v13 = "1.3"
    }

    /// The PEM file of the certificate and the authorities between it and the root.
    public var certFile: String?
    /// The PEM file of the certificate's key.
    public var keyFile: String?
    /// The PEM file of the authorities that issue clients' certificates; nil asks for none.
    public var clientCAFile: String?
    /// Whether clients must show a certificate, once ``clientCAFile`` is set.
    public var clientAuth: ClientAuthentication = .required
    /// DNS names of which a client's certificate must have one, separated by commas; nil asks for none.
    public var clientNames: String?
    /// The oldest version of TLS that is spoken.
    public var minVersion: Version = .v12

    /// Creates the defaults.
    public init() {}
}

/// `server.auth.*`: nothing set means that everybody may scrape.
public struct ServerAuthSettings: Sendable, Hashable {
    /// The user name of Basic authentication (RFC 7617), or nil for none.
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

    /// Creates the defaults.
    public init() {}

    /// Where the Basic password comes from; nil when there is none.
    public var passwordSource: SecretSource? { SecretSource(value: password, file: passwordFile) }
    /// Where the hash of the Basic password comes from; nil when there is none.
    public var passwordHashSource: SecretSource? { SecretSource(value: passwordHash, file: passwordHashFile) }
    /// Where the Bearer token comes from; nil when there is none.
    public var bearerTokenSource: SecretSource? { SecretSource(value: bearerToken, file: bearerTokenFile) }
}

/// `winpower.*`
public struct WinPowerSettings: Sendable, Hashable {
    /// The server's address; nil only when it was not required.
    public var baseURL: WinPowerURL?
    /// The account; nil only when it was not required.
    public var username: String?
    /// Its password, unless ``passwordFile`` names a file.
    public var password: Secret?
    /// The file that holds its password, read at each login so that a rotated password needs no restart.
    public var passwordFile: String?
    /// The longest time for one whole collection.
    public var timeout: Duration = .seconds(30)
    /// The longest time for one HTTP exchange. Unless it is set, at most ``timeout``.
    public var apiTimeout: Duration = .seconds(10)
    /// Whether any certificate is accepted.
    public var skipSSLVerify = false
    /// A PEM file of the authorities to trust; nil is the system's.
    public var caFile: String?
    /// The HTTP proxy on the way to the server.
    public var proxy: ProxySetting = .none
    /// How long before a token's end a new one is fetched. Unless it is set, at most half of ``tokenLifetime``.
    public var refreshThreshold: Duration = .seconds(300)
    /// How long a token is taken to live.
    public var tokenLifetime: Duration = .seconds(1800)
    /// The path of the login endpoint.
    public var loginPath = "/api/v1/auth/login"
    /// The path of the device list.
    public var devicesPath = "/api/v1/deviceData/detail/list"
    /// Devices asked for per page.
    public var pageSize = 100
    /// The only device type to ask for; nil is all.
    public var deviceType: Int?
    /// The largest response that is read, in bytes.
    public var maxResponseBytes = 64 << 20

    /// Creates the defaults.
    public init() {}

    /// Where the password comes from; nil when there is none.
    public var passwordSource: SecretSource? { SecretSource(value: password, file: passwordFile) }

    /// What it takes to log in. Never nil after a load that required it.
    public var target: WinPowerTarget? {
        guard let baseURL, let username, let passwordSource else { return nil }
        return WinPowerTarget(baseURL: baseURL, username: username, password: passwordSource)
    }
}

/// A WinPower server and the account on it.
public struct WinPowerTarget: Sendable, Hashable {
    /// The server's address.
    public var baseURL: WinPowerURL
    /// The account.
    public var username: String
    /// Where its password comes from.
    public var password: SecretSource
}

/// `storage.*`
public struct StorageSettings: Sendable, Hashable {
    /// The directory of the energy totals.
    public var dataDir = "./data"
    /// Whether a save waits for the disk.
    public var syncWrite = true
    /// The permission bits of new files.
    public var filePermissions: UInt16 = 0o644

    /// Creates the defaults.
    public init() {}
}

/// `energy.*`
public struct EnergySettings: Sendable, Hashable {
    /// The longest time between two power samples that is still counted as energy.
    public var maxGap: Duration = .seconds(60)
    /// Power beyond this many times a device's rating is not believed; nil believes everything.
    public var plausibilityMargin: Double? = 1.5

    /// Creates the defaults.
    public init() {}
}

/// `scheduler.*`
public struct SchedulerSettings: Sendable, Hashable {
    /// The time between two collections.
    public var collectionInterval: Duration = .seconds(5)
    /// How long a stop waits for the collection that runs.
    public var gracefulShutdownTimeout: Duration = .seconds(5)

    /// Creates the defaults.
    public init() {}
}

/// `metrics.*`
public struct MetricsSettings: Sendable, Hashable {
    /// How old readings may be before they are no longer served. Unless it is set, three times the loaded
    /// ``SchedulerSettings/collectionInterval``.
    public var staleAfter: Duration = .seconds(15)

    /// Creates the defaults.
    public init() {}
}

/// `logging.*`
public struct LoggingSettings: Sendable, Hashable {
    /// The least level that is logged.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// Every exchange and decision.
        case debug
        /// Starts, stops and changes.
        case info
        /// What is not as it should be.
        case warn
        /// What failed.
        case error
    }

    /// A part of the program that logs under a name of its own.
    public enum Module: String, Sendable, Hashable, CaseIterable {
        /// What speaks with WinPower.
        case client
        /// The cycles and what they find.
        case collector
        /// The energy sums.
        case energy
        /// What answers requests.
        case http
        /// The clock of the cycles.
        case scheduler
        /// Connections and requests.
        case server
        /// Loading the settings.
        case settings
        /// The files of the energy totals.
        case storage

        static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
    }

    /// How a record is written.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// One JSON object a line.
        case json
        /// One line for people.
        case console
    }

    /// Where records go.
    public enum Output: Sendable, Hashable {
        /// The standard output.
        case stdout
        /// The standard error.
        case stderr
        /// A file, which is rotated.
        case file(String)
    }

    /// The least level that is logged.
    public var level: Level = .info
    /// Other levels for single modules.
    public var levels = ModuleLevels()
    /// How a record is written.
    public var format: Format = .json
    /// Where records go.
    public var output: Output = .stdout
    /// The size at which a log file is rotated, in MB.
    public var maxSize = 100
    /// The days that a rotated file is kept; 0 is for ever.
    public var maxAge = 7
    /// The rotated files that are kept; 0 is all.
    public var maxBackups = 3
    /// Whether rotated files are compressed.
    public var compress = true
    /// Whether records name the line of code.
    public var enableCaller = false
    /// Whether errors come with a stack trace.
    public var enableStacktrace = false

    /// Creates the defaults.
    public init() {}
}
