// SPDX-License-Identifier: MIT

/// Reads every device once. The port between the collector and whatever knows a vendor's API.
public protocol DeviceSource: Sendable {
    /// Reads every device.
    ///
    /// All or nothing: a reading of half the fleet is an error, never a short list.
    /// - Returns: the readings, one per device id, in the server's order.
    /// - Throws: ``DeviceSourceError`` when the devices could not be read, `CancellationError` when the task was cancelled.
    func readDevices() async throws -> [DeviceReading]
}

/// What a device source talks to the server about.
public enum SourceEndpoint: String, Sendable, Hashable, CaseIterable {
    /// Logging in.
    case login
    /// Reading the devices.
    case devices
}

/// How a log-in ended.
public enum LoginResult: String, Sendable, Hashable, CaseIterable {
    /// The server gave a token.
    case success
    /// The server refused the credentials.
    case rejected
    /// There was no usable answer.
    case error
}

/// Is called for what a device source does while it reads. The collector's instruments are one; calls must not block.
public protocol DeviceSourceObserver: Sendable {
    /// One HTTP exchange ended, well or badly.
    /// - Parameters:
    ///   - endpoint: what it was about.
    ///   - duration: from the start of connecting or sending to the last byte of the reply, or to the failure.
    func exchangeEnded(_ endpoint: SourceEndpoint, duration: Duration)

    /// A log-in ended.
    func loginEnded(_ result: LoginResult)

    /// The source holds a new token, or none any more.
    /// - Parameter expiry: when the source will treat the token as ended, on the monotonic clock of its ``TimeSource``;
    ///   nil when there is no token.
    func tokenChanged(expiry: Duration?)

    /// A reading left out records of devices that could not be used, such as those without an identifier.
    /// - Parameter count: how many, at least 1.
    func recordsRejected(_ count: Int)
}

/// Why a device source could not read its devices.
public struct DeviceSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, which is also the `reason` label of `winpower_exporter_scrape_errors_total`.
    public var reason: FailureReason
    /// What was being done.
    public var endpoint: SourceEndpoint
    /// One or two sentences: what was tried, on what, and how it failed. Never holds a secret.
    public var message: String
    /// What an operator can do about it; nil when nothing is known to help.
    public var hint: Hint?
    /// Whether the server answered at all during this reading.
    public var reachedServer: Bool
    /// Whether the server had accepted the credentials or the token when the failure came.
    public var wasAuthenticated: Bool

    /// Creates an error.
    public init(
        reason: FailureReason,
        endpoint: SourceEndpoint,
        message: String,
        reachedServer: Bool,
        wasAuthenticated: Bool,
        hint: Hint? = nil
    ) {
        self.reason = reason
        self.endpoint = endpoint
        self.message = message
        self.hint = hint
        self.reachedServer = reachedServer
        self.wasAuthenticated = wasAuthenticated
    }

    /// The message.
    public var description: String { message }

    /// What an operator can do about a failure. A source knows the remedy, but not what its program calls the setting;
    /// the program puts it into words.
    public enum Hint: String, Sendable, Hashable, CaseIterable {
        /// Check the server's host name, and this machine's name resolution.
        case checkHostName
        /// Check that the server runs, and its host and port.
        case checkServerRuns
        /// Wait for a restart of the server, or check the scheme, http or https.
        case checkScheme
        /// Check the server's scheme and port: something else than the expected server speaks there.
        case checkSchemeAndPort
        /// Check that the address is that of the expected kind of server.
        case checkServerAddress
        /// Check the server's address and the paths of its API.
        case checkPaths
        /// Check the server's address and the path of the login.
        case checkLoginPath
        /// Check the server's address and the path of the device list.
        case checkDevicesPath
        /// Use the address that the server redirects to: redirects are not followed, since a request carries
        /// credentials.
        case useFinalAddress
        /// Raise the limit of one exchange, or find out why the server is slow.
        case raiseExchangeTimeout
        /// Raise the limit of a whole reading, or find out why the server is slow.
        case raiseReadingTimeout
        /// Check the address, or raise the limit on the size of a reply.
        case raiseReplyLimit
        /// Ask for fewer devices per page, or raise the limit on the size of a reply.
        case lowerPageSize
        /// Read less often: the server asks for fewer requests.
        case readLessOften
        /// Narrow the list of devices, which is longer than the limit.
        case narrowDeviceList
        /// Trust the authority of the server's certificate.
        case trustAuthority
        /// Renew the server's certificate, and check both clocks.
        case renewCertificate
        /// Use the name that the server's certificate is for.
        case useCertificateName
        /// Check that the server speaks TLS at this port.
        case checkTLSPort
        /// Check the trusted authorities and the server's certificate.
        case checkCertificate
        /// Check user name and password.
        case checkCredentials
        /// Check where user name and password are read from.
        case checkCredentialSources
        /// Check that the account may read the devices.
        case checkPermissions
        /// Check the address, and any proxy on the way to the server.
        case checkProxy
        /// Look at the server's own log: the fault is on its side.
        case checkServerLog
        /// Nothing: the next reading starts over.
        case waitForNextReading
        /// Report it: this should not happen.
        case reportFault
    }
}

/// Why a collection failed: the values of the `reason` label of `winpower_exporter_scrape_errors_total`.
public enum FailureReason: String, Sendable, Hashable, CaseIterable {
    /// A deadline passed.
    case timeout
    /// No connection, or it broke.
    case connect
    /// The TLS handshake or the certificate was refused.
    case tls
    /// The server refused the credentials or the token.
    case auth
    /// The server answered with an HTTP status that is no success, or broke HTTP.
    case http
    /// The reply could not be understood, or was an application error.
    case decode
    /// The energy totals could not be saved.
    case storage
    /// Anything else.
    case `internal`
}

/// Consecutive failed readings.
public struct FailureRun: Sendable, Hashable {
    /// The kind of the latest failure.
    public var reason: FailureReason
    /// The latest failure in one sentence.
    public var message: String
    /// When the first reading of the run failed.
    public var since: TimePoint
    /// The number of failed readings, whatever their reasons; at least 1.
    public var count: Int

    /// Creates a run.
    package init(reason: FailureReason, message: String, since: TimePoint, count: Int) {
        self.reason = reason
        self.message = message
        self.since = since
        self.count = count
    }
}
