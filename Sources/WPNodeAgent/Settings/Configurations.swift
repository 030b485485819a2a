// SPDX-License-Identifier: MIT

import WPConfig
import WPHTTP
package import WPHost
import WPServer

// What each module is told, of the settings that none of them knows.

extension HostConfiguration {
    /// The settings of what is read.
    package init(_ settings: NodeSettings) {
        self.init()
        procfs = settings.path.procfs
        sysfs = settings.path.sysfs
        rootfs = settings.path.rootfs
        udevData = settings.path.udevData
        collectors = settings.collectors.enabled
        callDeadline = settings.collect.callDeadline
        topProcesses = settings.collect.topProcesses
        includesCommandLines = settings.collect.commandLines
        excludedMountPoints = settings.exclude.mountPoints
        excludedFilesystemTypes = settings.exclude.filesystemTypes
        excludedDisks = settings.exclude.disks
        excludedTraffic = settings.exclude.traffic
        excludedInterfaces = settings.exclude.interfaces
        excludedChips = settings.exclude.chips
        includedVMStatFields = settings.exclude.vmstatFields
        includedNetstatFields = settings.exclude.netstatFields
        textFileDirectory = settings.collect.textFileDirectory
    }
}

extension HTTPServer.Configuration {
    /// The settings of `server.*`.
    /// - Parameter tls: what those of `server.tls.*` come to; nil for plain HTTP.
    init(_ settings: NodeSettings.Server, tls: (any TLSContextSource)?) {
        self.init(
            host: settings.host,
            port: settings.port,
            maxConnections: settings.maxConnections,
            gracefulTimeout: settings.shutdownTimeout,
            tls: tls
        )
    }
}

extension HTTPClient.Configuration {
    /// The settings of `node.*` that are about the way to the hub.
    init(_ settings: NodeSettings.Node, _ hub: HubAddress, userAgent: String) {
        self.init(
            origin: hub.origin,
            verification: settings.hubCAFile.map { .authorities(path: $0) } ?? .system,
            maxBodyBytes: 64 << 10,
            userAgent: userAgent
        )
    }
}

extension NodeSettings.Node {
    /// Where the hub's token comes from; nil when there is none.
    var tokenSource: SecretSource? {
        hubTokenFile.map { .file($0) } ?? hubToken.map { .value($0) }
    }
}
