// SPDX-License-Identifier: MIT

public import WPCore
public import WPHost
public import WPProgram

/// The settings of the node agent.
public struct NodeSettings: ProgramSettings, Hashable {
    /// The name of this machine, and the hub that its snapshots are pushed to: `node.*`.
    public struct Node: Sendable, Hashable {
        /// The node's name at the hub; nil for the host name.
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
        /// The maximum number of attempts after transient failures.
        package var pushAttempts = 3
        /// The delay between attempts.
        package var pushRetryDelay = Duration.seconds(1)
        /// The maximum number of snapshots buffered while the hub is unavailable.
        package var pushBuffer = 120
    }

    /// Collection intervals and limits: `collect.*`.
    public struct Collect: Sendable, Hashable {
        /// The sampling interval of processors.
        package var cpuInterval = Duration.seconds(1)
        /// The sampling interval of processes.
        package var processInterval = Duration.seconds(3)
        /// The sampling interval of everything else.
        package var interval = Duration.seconds(5)
        /// The number of processes listed by name.
        public var topProcesses = 10
        /// Whether command lines, which may contain secrets, are read.
        public var commandLines = false
        /// The directory of text files; nil for none.
        public var textFileDirectory: String?
        /// The time limit of a call that may hang.
        package var callDeadline = Duration.milliseconds(500)
        /// The time limit of a call on a mounted file system.
        package var mountDeadline = Duration.milliseconds(500)
    }

    /// The directories of the host: `path.*`.
    public struct Paths: Sendable, Hashable {
        /// Where procfs is mounted.
        public var procfs = "/proc"
        /// Where sysfs is mounted.
        public var sysfs = "/sys"
        /// Where the host's root directory is mounted.
        public var rootfs = "/"
        /// The directory of udev's device database; nil for `/run/udev/data` below ``rootfs``.
        package var udevData: String?
    }

    /// The enabled collectors: `collectors.*`.
    public struct Collectors: Sendable, Hashable {
        /// Whether collectors are disabled unless enabled explicitly.
        package var areDefaultsDisabled = false
        /// The enabled collectors.
        public var enabled = HostCollectorName.defaults

        package subscript(_ name: HostCollectorName) -> Bool {
            get { enabled.contains(name) }
            set {
                if newValue { enabled.insert(name) } else { enabled.remove(name) }
            }
        }
    }

    /// Exclusions as regular expressions: `exclude.*`.
    public struct Exclude: Sendable, Hashable {
        package var mountPoints = HostConfiguration.defaultExcludedMountPoints
        package var filesystemTypes = HostConfiguration.defaultExcludedFilesystemTypes
        package var disks = HostConfiguration.defaultExcludedDisks
        package var traffic: NamePattern?
        package var interfaces: NamePattern?
        package var chips: NamePattern?
        package var sensors: NamePattern?
        package var neighbours: NamePattern?
        package var powerSupplies: NamePattern?
        package var tapes: NamePattern?
        /// The published counters of network protocols.
        package var netstatFields = HostConfiguration.defaultNetstatFields
        /// The published fields of `/proc/vmstat`.
        package var vmstatFields = HostConfiguration.defaultVMStatFields
    }

    /// Inclusions as regular expressions: `include.*`. nil includes everything.
    public struct Include: Sendable, Hashable {
        package var mountPoints: NamePattern?
        package var filesystemTypes: NamePattern?
        package var disks: NamePattern?
        package var traffic: NamePattern?
        package var chips: NamePattern?
        package var sensors: NamePattern?
        package var neighbours: NamePattern?
    }

    /// `server.*`
    public var server = NodeSettings.standardServer
    /// `node.*`
    public var node = Node()
    /// `collect.*`
    public var collect = Collect()
    /// `path.*`
    public var path = Paths()
    /// `collectors.*`
    public var collectors = Collectors()
    /// `exclude.*`
    public var exclude = Exclude()
    /// `include.*`
    public var include = Include()
    /// `logging.*`
    public var logging = LoggingSettings()

    /// node_exporter's port, and enough connections for the few clients of a node.
    private static var standardServer: ServerSettings {
        var server = ServerSettings(port: 9100)
        server.maxConnections = 256
        return server
    }

    /// Creates default settings: all collectors, port 9100, no hub.
    public init() {}
}
