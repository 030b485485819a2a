// SPDX-License-Identifier: MIT

public import WPConfig
public import WPHost
public import WPModel

/// The settings of a node's agent.
public struct NodeSettings: Sendable, Hashable {
    /// What the agent listens on, and who may ask it: `server.*`. The defaults answer everybody who reaches the port.
    public struct Server: Sendable, Hashable {
        /// The address to listen on.
        public var host = "0.0.0.0"
        /// The port, 0 for one that the system chooses. The default is node_exporter's.
        public var port = 9100
        /// More addresses to listen on.
        package var additionalAddresses: [ListenAddress] = []
        /// The most connections at a time.
        package var maxConnections = 256
        /// How long a shutdown waits for open requests.
        package var shutdownTimeout = Duration.seconds(5)
        /// The server's certificate, and what it asks of clients.
        public var tls = ServerTLSSettings()
        /// Who may scrape.
        public var auth = ServerAuthSettings()
    }

    /// The name of this machine, and the hub that its snapshots are pushed to: `node.*`.
    public struct Node: Sendable, Hashable {
        /// The name by which a hub knows the node; nil for the host's own.
        public var name: String?
        /// The address of the hub; nil for no pushes.
        public var hub: HubAddress?
        /// What the hub asks for; nil when it admits everybody.
        public var hubToken: Secret?
        /// The file that holds that token, read again for each push.
        public var hubTokenFile: String?
        /// A PEM file of the certificate authorities to trust; nil is the system's.
        public var hubCAFile: String?
        /// The time between two pushes.
        package var pushInterval = Duration.seconds(5)
        /// The time limit of one attempt.
        package var pushTimeout = Duration.seconds(5)
        /// How many times a push is attempted while its failure may pass.
        package var pushAttempts = 3
        /// The wait between two attempts.
        package var pushRetryDelay = Duration.seconds(1)
        /// The most snapshots that are kept while the hub does not answer.
        package var pushBuffer = 120
    }

    /// When and how much is read: `collect.*`.
    public struct Collect: Sendable, Hashable {
        /// The time between two readings of the processors.
        package var cpuInterval = Duration.seconds(1)
        /// The time between two readings of the processes.
        package var processInterval = Duration.seconds(3)
        /// The time between two readings of all else.
        package var interval = Duration.seconds(5)
        /// How many processes are named.
        public var topProcesses = 10
        /// Whether their command lines are read, which may hold secrets.
        public var commandLines = false
        /// The directory of text files; nil for none.
        public var textFileDirectory: String?
        /// How long one call that may hang is waited for.
        package var callDeadline = Duration.milliseconds(500)
        /// How long a mounted file system is waited for.
        package var mountDeadline = Duration.milliseconds(500)
    }

    /// Where a host's files are: `path.*`.
    public struct Paths: Sendable, Hashable {
        /// Where procfs is mounted.
        public var procfs = "/proc"
        /// Where sysfs is mounted.
        public var sysfs = "/sys"
        /// Where the host's root directory is mounted.
        public var rootfs = "/"
        /// Where udev keeps what it knows of devices; nil for `/run/udev/data` below ``rootfs``.
        package var udevData: String?
    }

    /// Which collectors run: `collectors.*`.
    public struct Collectors: Sendable, Hashable {
        /// Whether those run of which nothing is said.
        package var areDefaultsDisabled = false
        /// Those that run.
        public var enabled = Set(HostCollectorName.allCases)

        package subscript(_ name: HostCollectorName) -> Bool {
            get { enabled.contains(name) }
            set {
                if newValue { enabled.insert(name) } else { enabled.remove(name) }
            }
        }
    }

    /// What is left out, as regular expressions: `exclude.*`.
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
        /// The counters of network protocols that are kept.
        package var netstatFields = HostConfiguration.defaultNetstatFields
        /// The fields of `/proc/vmstat` that are kept.
        package var vmstatFields = HostConfiguration.defaultVMStatFields
    }

    /// What is kept alone, as regular expressions: `include.*`. Nil keeps all.
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
    public var server = Server()
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
    package var logging = LoggingSettings()

    /// Creates settings at their defaults: all collectors, port 9100, no hub.
    public init() {}
}
