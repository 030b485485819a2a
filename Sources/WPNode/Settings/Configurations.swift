// SPDX-License-Identifier: MIT

import WPHTTP
package import WPHost
import WPSettings

// Maps settings to the configurations of modules, none of which depends on the settings.

extension HostConfiguration {
    /// The host configuration.
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
        mountDeadline = settings.collect.mountDeadline
        let (exclude, include, defaults) = (settings.exclude, settings.include, HostConfiguration())
        // As in node_exporter, an inclusion replaces the default exclusion.
        func pattern(_ excluded: NamePattern, _ included: NamePattern?, _ standard: NamePattern) -> NamePattern {
            included != nil && excluded == standard ? .nothing : excluded
        }
        excludedMountPoints = pattern(exclude.mountPoints, include.mountPoints, defaults.excludedMountPoints)
        excludedFilesystemTypes = pattern(
            exclude.filesystemTypes,
            include.filesystemTypes,
            defaults.excludedFilesystemTypes
        )
        excludedDisks = pattern(exclude.disks, include.disks, defaults.excludedDisks)
        (includedMountPoints, includedFilesystemTypes) = (include.mountPoints, include.filesystemTypes)
        (includedDisks, includedTraffic) = (include.disks, include.traffic)
        (includedChips, includedSensors, includedNeighbours) = (include.chips, include.sensors, include.neighbours)
        (excludedSensors, excludedNeighbours) = (exclude.sensors, exclude.neighbours)
        (excludedPowerSupplies, excludedTapes) = (exclude.powerSupplies, exclude.tapes)
        excludedTraffic = settings.exclude.traffic
        excludedInterfaces = settings.exclude.interfaces
        excludedChips = settings.exclude.chips
        includedVMStatFields = settings.exclude.vmstatFields
        includedNetstatFields = settings.exclude.netstatFields
        textFileDirectory = settings.collect.textFileDirectory
    }
}

extension HTTPClient.Configuration {
    /// The connection configuration for the hub.
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
    /// The source of the hub's token; nil if there is none.
    var tokenSource: SecretSource? {
        hubTokenFile.map { .file($0) } ?? hubToken.map { .value($0) }
    }
}
