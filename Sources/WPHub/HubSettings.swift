// SPDX-License-Identifier: MIT

public import WPConfig
public import WPCore
public import WPLogging
public import WPProgram
package import WPSettings

/// The settings of a hub.
public struct HubSettings: ProgramSettings, Hashable {
    /// The hub itself: `hub.*`.
    public struct Hub: Sendable, Hashable {
        /// The cluster's name in the paths of the API.
        public var cluster = "default"
        /// The token required of reports, unless ``tokenFile`` names a file.
        public var token: Secret?
        /// The file that contains the token.
        public var tokenFile: String?
        /// The file with one token per sender.
        public var tokensFile: String?
        /// The maximum number of UPSes and nodes published as metrics; 0 for none.
        public var subjectMetrics = 0
        /// The allowed host names of a hub without a token, separated by commas.
        public var hostNames: String?

        /// The names of ``hostNames``.
        package var hostNameList: [String] { ServerSettings.names(in: hostNames) }
        /// The source of the token; nil if there is none.
        package var tokenSource: SecretSource? { SecretSource(value: token, file: tokenFile) }
    }

    /// `server.*`
    public var server = ServerSettings(host: "127.0.0.1", port: 8082)
    /// `storage.*`
    public var storage = StorageSettings()
    /// `history.*`
    public var history = HistorySettings()
    /// `energy.tariff` and `energy.currency`
    public var tariff = TariffSettings()
    /// `scheduler.*`: the interval of reports.
    public var scheduler = SchedulerSettings()
    /// `hub.*`
    public var hub = Hub()
    /// `logging.*`
    public var logging = LoggingSettings()

    /// Creates default settings: port 8082 on 127.0.0.1, which anybody on this machine may use, and no token.
    public init() {}

    /// The program's own log modules.
    public static var logModules: [String] { ["storage"] }

    /// `scheduler.graceful_shutdown_timeout`
    public var shutdownTimeout: Duration { scheduler.gracefulShutdownTimeout }

    /// Whether anyone who reaches the port may report and read.
    var isOpen: Bool { hub.tokenSource == nil && hub.tokensFile == nil && !server.auth.isSet }

    /// A warning that anyone could report or read if the hub listened, and what to set; nil if access is restricted.
    var exposure: String? {
        guard !Loopback.contains(server.host), hub.tokenSource == nil else { return nil }
        if hub.tokensFile == nil {
            return "anyone who reaches \(server.host) could report and read: set hub.token_file (--hub.token-file), "
                + "hub.tokens_file or hub.token (WINPOWER_EXPORTER_HUB_TOKEN), or listen on 127.0.0.1"
        }
        guard !server.auth.isSet else { return nil }
        return "anyone who reaches \(server.host) could read: besides hub.tokens_file, which is for reports, set "
            + "hub.token_file or server.auth, or listen on 127.0.0.1"
    }
}
