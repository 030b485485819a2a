// SPDX-License-Identifier: MIT

public import WPCore

/// Reads every device once. The port between the collector and a client of a vendor's API.
public protocol DeviceSource: Sendable {
    /// Reads every device.
    ///
    /// All or nothing: throws rather than returning part of the fleet.
    /// - Returns: the readings, one per device ID, in the server's order.
    /// - Throws: ``DeviceSourceError`` if the devices could not be read, `CancellationError` if the task was cancelled.
    func readDevices() async throws -> [DeviceReading]
}

/// The operations that a device source performs on the server.
public enum SourceEndpoint: String, Sendable, Hashable, CaseIterable {
    /// Logging in.
    case login
    /// Reading the devices.
    case devices
}

/// The outcome of a login.
public enum LoginResult: String, Sendable, Hashable, CaseIterable {
    /// The server issued a token.
    case success
    /// The server rejected the credentials.
    case rejected
    /// There was no valid response.
    case error
}

/// Receives events of a device source. Calls must not block.
public protocol DeviceSourceObserver: Sendable {
    /// An HTTP exchange ended, successfully or not.
    /// - Parameters:
    ///   - endpoint: the operation.
    ///   - duration: from the start of connecting or sending to the last byte of the reply, or to the failure.
    func exchangeEnded(_ endpoint: SourceEndpoint, duration: Duration)

    /// A login ended.
    func loginEnded(_ result: LoginResult)

    /// The source obtained a token or discarded it.
    /// - Parameter expiry: when the source will treat the token as expired, on the monotonic clock of its
    ///   ``WPCore/TimeSource``; nil if there is no token.
    func tokenChanged(expiry: Duration?)

    /// A poll omitted unusable device records, such as those without an identifier.
    /// - Parameter count: how many, at least 1.
    func recordsRejected(_ count: Int)
}

/// Why a device source could not read its devices.
public struct DeviceSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, which is also the `reason` label of `winpower_exporter_scrape_errors_total`.
    public var reason: FailureReason
    /// The operation that failed.
    public var endpoint: SourceEndpoint
    /// One or two sentences: what failed, on what, and why. Never contains a secret.
    public var message: String
    /// How to fix it; nil if no remedy is known.
    public var hint: Hint?
    /// Whether the server responded during this poll.
    public var reachedServer: Bool
    /// Whether the server had accepted the credentials or the token before the failure.
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

    /// A remedy for a failure. The program that uses the source words it, because only it knows the names of its
    /// settings.
    public enum Hint: String, Sendable, Hashable, CaseIterable {
        /// Check the server's host name, and this machine's name resolution.
        case checkHostName
        /// Check that the server runs, and its host and port.
        case checkServerRuns
        /// Wait for a restart of the server, or check the scheme, http or https.
        case checkScheme
        /// Check the server's scheme and port: another kind of server is listening there.
        case checkSchemeAndPort
        /// Check that the address is that of the expected kind of server.
        case checkServerAddress
        /// Check the server's address and the paths of its API.
        case checkPaths
        /// Check the server's address and the path of the login.
        case checkLoginPath
        /// Check the server's address and the path of the device list.
        case checkDevicesPath
        /// Use the address that the server redirects to: redirects are not followed, because requests carry
        /// credentials.
        case useFinalAddress
        /// Raise the time limit of one exchange, or find out why the server is slow.
        case raiseExchangeTimeout
        /// Raise the time limit of a whole poll, or find out why the server is slow.
        case raiseReadingTimeout
        /// Check the address, or raise the limit on the size of a reply.
        case raiseReplyLimit
        /// Ask for fewer devices per page, or raise the limit on the size of a reply.
        case lowerPageSize
        /// Poll less often: the server limits the request rate.
        case readLessOften
        /// Narrow the list of devices, which is longer than the limit.
        case narrowDeviceList
        /// Trust the authority of the server's certificate.
        case trustAuthority
        /// Renew the server's certificate, and check both clocks.
        case renewCertificate
        /// Use the name in the server's certificate.
        case useCertificateName
        /// Check that the server speaks TLS at this port.
        case checkTLSPort
        /// Check the trusted authorities and the server's certificate.
        case checkCertificate
        /// Check the user name and the password.
        case checkCredentials
        /// Check where the user name and the password are configured.
        case checkCredentialSources
        /// Check that the account may read the devices.
        case checkPermissions
        /// Check the address, and any proxy in front of the server.
        case checkProxy
        /// Check the server's log: the fault is on its side.
        case checkServerLog
        /// Nothing: the next poll will retry.
        case waitForNextReading
        /// Report a bug: this should not happen.
        case reportFault
    }
}

/// Why a collection failed: the values of the `reason` label of `winpower_exporter_scrape_errors_total`.
public enum FailureReason: String, Sendable, Hashable, CaseIterable {
    /// A deadline passed.
    case timeout
    /// The connection failed or was lost.
    case connect
    /// The TLS handshake or the certificate was rejected.
    case tls
    /// The server rejected the credentials or the token.
    case auth
    /// The server returned an unsuccessful HTTP status, or violated HTTP.
    case http
    /// The reply could not be decoded, or contained an application error.
    case decode
    /// The energy totals could not be saved.
    case storage
    /// Anything else.
    case `internal`
}

/// Consecutive failed polls.
public struct FailureRun: Sendable, Hashable {
    /// The kind of the latest failure.
    public var reason: FailureReason
    /// The latest failure in one sentence.
    public var message: String
    /// When the first poll of the run failed.
    public var since: TimePoint
    /// The number of failed polls, whatever the reasons; at least 1.
    public var count: Int

    /// Creates a run.
    package init(reason: FailureReason, message: String, since: TimePoint, count: Int) {
        self.reason = reason
        self.message = message
        self.since = since
        self.count = count
    }
}
