// SPDX-License-Identifier: MIT

package import WPModel

/// Every setting of the exporter as a typed value.
///
/// A new value holds the defaults; the names, ranges and meanings are the rows of ``table``. ``SettingsLoader`` fills it
/// from a file, the environment and flags, and keeps to the ranges; a value that is changed by hand is not checked.
public struct ExporterSettings: Sendable, Hashable {
    /// The HTTP server that is scraped: `server.*`.
    public var server = ServerSettings()
    /// The WinPower server that is read: `winpower.*`.
    public var winpower = WinPowerSettings()
    /// Where energy totals are kept: `storage.*`.
    public var storage = StorageSettings()
    /// How energy is summed: `energy.*`.
    public var energy = EnergySettings()
    /// When devices are read: `scheduler.*`.
    public var scheduler = SchedulerSettings()
    /// What is served: `metrics.*`.
    public var metrics = MetricsSettings()
    /// What is kept of the past: `history.*`. The program's; an exporter that a program embeds keeps none.
    package var history = HistorySettings()
    /// The hub: `hub.*`. The program's as well.
    package var hub = HubSettings()
    /// The server for Network UPS Tools: `nut.*`. The program's as well.
    package var nut = NUTSettings()
    /// What is logged, and where: `logging.*`. An embedder gives the exporter a logger of its own.
    package var logging = LoggingSettings()

    /// Creates the defaults.
    public init() {}
}

/// Where energy totals are kept: `storage.*`.
public struct StorageSettings: Sendable, Hashable {
    /// The directory of the energy totals. One exporter at a time uses it.
    public var dataDir = "./data"
    /// Whether a save waits for the disk.
    public var syncWrite = true
    /// The permission bits of new files.
    package var filePermissions: UInt16 = 0o644
}

/// How energy is summed: `energy.*`.
public struct EnergySettings: Sendable, Hashable {
    /// The longest time between two power samples that still counts as energy. Unless it is set, a load makes it the
    /// larger of 60 s and three times ``SchedulerSettings/collectionInterval``.
    public var maxGap: Duration = .seconds(60)
    /// Power beyond this multiple of a device's rating counts as a gap; nil accepts everything.
    public var plausibilityMargin: Double? = 1.5
    /// The price of a kilowatt-hour; nil shows no cost.
    package var tariff: Double?
    /// In which currency that price is; nil shows none.
    package var currency: String?
}

/// When devices are read: `scheduler.*`.
public struct SchedulerSettings: Sendable, Hashable {
    /// The time between two collections.
    public var collectionInterval: Duration = .seconds(5)
    /// How long a shutdown waits for open requests.
    public var gracefulShutdownTimeout: Duration = .seconds(5)
}

/// What is served: `metrics.*`.
public struct MetricsSettings: Sendable, Hashable {
    /// The age from which readings are no longer served. Unless it is set, a load makes it three times
    /// ``SchedulerSettings/collectionInterval``.
    public var staleAfter: Duration = .seconds(15)
}

/// What is kept of the past: `history.*`.
package struct HistorySettings: Sendable, Hashable {
    /// Whether the server keeps a history of its UPSes.
    package var enabled = true
    /// The length of a bucket.
    package var interval: Duration = .seconds(300)
    /// How long buckets are kept.
    package var retention: Duration = .seconds(30 * 86_400)
    /// The database that keeps it, with its password; nil for the data directory.
    package var url: Secret?
    /// The file that holds the address.
    package var urlFile: String?

    /// Where the address comes from; nil when there is none.
    package var urlSource: SecretSource? { SecretSource(value: url, file: urlFile) }
}

/// The hub, from both sides: `hub.*`.
package struct HubSettings: Sendable, Hashable {
    /// The cluster's name in the paths of the API.
    package var cluster = "default"
    /// The hub that the server sends its readings to; nil for none.
    package var url: WinPowerURL?
    /// A PEM file of the certificate authorities that the hub's certificate may be of; nil is the system's.
    package var caFile: String?
    /// The HTTP proxy on the way to the hub.
    package var proxy: ProxySetting = .none
    /// The place that the server reports from; nil for a hub with one.
    package var site: String?
    /// The token that reports come with, unless ``tokenFile`` names a file.
    package var token: Secret?
    /// The file that holds the token.
    package var tokenFile: String?
    /// The file with a token per sender, on a hub.
    package var tokensFile: String?
    /// How many UPSes and nodes a hub shows as metrics of their own; 0 for none.
    package var subjectMetrics = 0
    /// Names by which a hub without a token may be addressed, separated by commas.
    package var hostNames: String?

    /// The names of ``hostNames``.
    package var hostNameList: [String] { ServerSettings.names(in: hostNames) }

    /// Where the token comes from; nil when there is none.
    package var tokenSource: SecretSource? { SecretSource(value: token, file: tokenFile) }
}
