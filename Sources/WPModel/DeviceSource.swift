// SPDX-License-Identifier: MIT

/// Reads every device once. The port between the collector and whatever knows a vendor's API.
public protocol DeviceSource: Sendable {
    /// Reads every device.
    ///
    /// All or nothing: a reading of half the fleet is an error, never a short list.
    /// - Returns: the readings, one a device id, in the server's order.
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

/// Hears what a device source does while it reads. The collector's instruments are one; its calls must not block.
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
}

/// Why a device source could not read its devices.
public struct DeviceSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, which is also the `reason` label of `winpower_exporter_scrape_errors_total`.
    public var reason: FailureReason
    /// What was being done.
    public var endpoint: SourceEndpoint
    /// One sentence: what was tried, on what, what came of it, and what to do. Never holds a secret.
    public var message: String
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
        wasAuthenticated: Bool
    ) {
        self.reason = reason
        self.endpoint = endpoint
        self.message = message
        self.reachedServer = reachedServer
        self.wasAuthenticated = wasAuthenticated
    }

    /// The message.
    public var description: String { message }
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
