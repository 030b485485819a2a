// SPDX-License-Identifier: MIT

public import WPCore
public import WPHost
public import WPLogging
public import WPProgram

/// The settings of the node agent.
public struct NodeSettings: ProgramSettings, Hashable {
    /// The name of this machine, and the hub that its snapshots are pushed to: `node.*`.
    public struct Node: Sendable, Hashable {
        /// The node's name on the hub; nil for the host name.
        public var name: String?
        /// The address of the hub; nil to disable pushes.
        public var hub: HubAddress?
        /// The token for the hub; nil if it requires none.
        public var hubToken: Secret?
        /// The file that contains the token, read for each push.
        public var hubTokenFile: String?
        /// A PEM file of the certificate authorities to trust; nil for the system's.
        public var hubCAFile: String?
        /// The interval between pushes.
        package var pushInterval = Duration.seconds(5)
        /// The time limit of one attempt.
        package var pushTimeout = Duration.seconds(5)
        /// The maximum number of attempts per push. Only transient failures are retried.
        package var pushAttempts = 3
        /// The maximum delay after the first failure; it doubles with each further one, up to a minute.
        package var pushRetryDelay = Duration.seconds(1)
        /// The maximum number of snapshots buffered while the hub is unavailable.
        package var pushBuffer = 120
    }

    /// Sampling intervals: part of `collect.*`.
    package struct Collect: Sendable, Hashable {
        /// The sampling interval of processors.
        package var cpuInterval = Duration.seconds(1)
        /// The sampling interval of processes.
        package var processInterval = Duration.seconds(3)
        /// The sampling interval of everything else.
        package var interval = Duration.seconds(5)

        /// The longest sampling interval.
        var longestInterval: Duration { max(cpuInterval, processInterval, interval) }
    }

    /// `server.*`
    public var server = NodeSettings.standardServer
    /// `node.*`
    public var node = Node()
    /// The sampling intervals of `collect.*`.
    package var collect = Collect()
    /// `path.*`, `collectors.*`, `exclude.*`, `include.*` and the limits of `collect.*`.
    public var host = HostConfiguration()
    /// Whether collectors are disabled unless enabled explicitly: `collectors.disable_defaults`.
    package var disablesDefaultCollectors = false
    /// `logging.*`
    public var logging = LoggingSettings()

    /// node_exporter's port, and enough connections for the few clients of a node.
    private static var standardServer: ServerSettings {
        var server = ServerSettings(port: 9100)
        server.maxConnections = 256
        return server
    }

    /// The program's own log modules.
    public static var logModules: [String] { ["collector", "push"] }

    /// Creates default settings: the default collectors, port 9100, no hub.
    public init() {}
}

extension HostConfiguration {
    /// Whether a collector is enabled.
    subscript(collects name: HostCollectorName) -> Bool {
        get { collectors.contains(name) }
        set {
            if newValue { collectors.insert(name) } else { collectors.remove(name) }
        }
    }
}
