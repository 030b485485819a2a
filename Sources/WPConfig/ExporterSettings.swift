// SPDX-License-Identifier: MIT

package import WPCore
public import WPLogging
public import WPProgram
package import WPSettings

/// Every setting of the exporter as a typed value.
///
/// A new value has the defaults; the rows of ``table`` define names, ranges and meanings.
/// ``WPSettings/SettingsLoader`` fills and validates it; a value assigned in code is not validated.
public struct ExporterSettings: ProgramSettings, Hashable {
    /// The HTTP server of the exporter: `server.*`.
    public var server = ServerSettings(port: 9090)
    /// The WinPower server to poll: `winpower.*`.
    public var winpower = WinPowerSettings()
    /// The storage of energy totals: `storage.*`.
    public var storage = StorageSettings()
    /// Energy metering: `energy.*`.
    public var energy = EnergySettings()
    /// The collection schedule: `scheduler.*`.
    public var scheduler = SchedulerSettings()
    /// The published metrics: `metrics.*`.
    public var metrics = MetricsSettings()
    /// The history: `history.*`. Only the program keeps one; an embedded exporter does not.
    package var history = HistorySettings()
    /// The hub that receives readings: `hub.*`. Only the program uses it.
    package var hub = SenderSettings()
    /// The server for Network UPS Tools: `nut.*`. Only the program runs it.
    package var nut = NUTSettings()
    /// Logging: `logging.*`. Embedders pass a logger instead.
    public var logging = LoggingSettings()

    /// Creates the defaults.
    public init() {}

    /// The program's own log modules.
    public static var logModules: [String] { ["client", "collector", "energy", "storage"] }

    /// `scheduler.graceful_shutdown_timeout`
    public var shutdownTimeout: Duration { scheduler.gracefulShutdownTimeout }
}

/// Energy metering: `energy.*`.
public struct EnergySettings: Sendable, Hashable {
    /// The longest interval between two power samples that is integrated. If unset, the larger of 60 s and three times
    /// ``SchedulerSettings/collectionInterval``.
    public var maxGap: Duration = .seconds(60)
    /// Power beyond this multiple of a device's rating counts as a gap; nil accepts any power.
    public var plausibilityMargin: Double? = 1.5
    /// The energy tariff. Only the program shows costs.
    package var tariff = TariffSettings()

    /// The defaults.
    package init() {}
}

/// The published metrics: `metrics.*`.
public struct MetricsSettings: Sendable, Hashable {
    /// The age at which readings are no longer served. If unset, three times
    /// ``SchedulerSettings/collectionInterval``.
    public var staleAfter: Duration = .seconds(15)
}

/// The hub that receives readings: `hub.*`.
package struct SenderSettings: Sendable, Hashable {
    /// The cluster's name in the paths of the API.
    package var cluster = "default"
    /// The hub's address; nil for none.
    package var url: WinPowerURL?
    /// A PEM file of the certificate authorities for the hub; nil for the system's.
    package var caFile: String?
    /// The HTTP proxy for connections to the hub.
    package var proxy: ProxySetting = .none
    /// The site that the server reports for; nil for a hub with a single site.
    package var site: String?
    /// The token of reports, unless ``tokenFile`` names a file.
    package var token: Secret?
    /// The file that contains the token.
    package var tokenFile: String?

    /// The source of the token; nil if there is none.
    package var tokenSource: SecretSource? { SecretSource(value: token, file: tokenFile) }
}
