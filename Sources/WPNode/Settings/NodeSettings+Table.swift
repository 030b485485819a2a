// SPDX-License-Identifier: MIT

import WPHTTP
import WPHost
import WPProgram
public import WPSettings

extension NodeSettings {
    /// The settings of the node agent, declared once for all uses. Flags have node_exporter's names where it has an
    /// equivalent; variables without the prefix have the names that atlhyper's agent uses.
    public static let table = SettingTable(
        prefix: "WPNODE_",
        defaults: NodeSettings(),
        searchPaths: [
            "./node.yaml", "./node.yml", "/etc/winpower-exporter/node.yaml", "~/.config/winpower-exporter/node.yaml",
        ],
        server: \.server,
        logging: \.logging,
        sections: [
            SettingSection("node", "The name of this machine, and the hub that its snapshots are pushed to", nodeRows),
            SettingSection("collect", "When and how much is read", collectRows),
            SettingSection("path", "Where the host's files are", pathRows),
            SettingSection("collectors", "Which collectors run", collectorRows),
            SettingSection("exclude", "What to exclude", excludeRows),
            SettingSection("include", "What to include, if not everything", patternRows(inclusions)),
        ],
        warnings: warnings
    ).chapter("SETTINGS OF NODE")

    /// Problems with the directories of the host: a wrong one would yield a host without values. Blocks.
    package static func problems(_ settings: NodeSettings) -> [SettingProblem<NodeSettings>] {
        #if os(Linux)
        settings.host.missingRoots.map { root in
            switch root {
            case .procfs:
                SettingProblem(\.host.procfs, "there is no procfs: name the directory that contains the file stat")
            case .sysfs: SettingProblem(\.host.sysfs, "there is no sysfs: name the directory where it is mounted")
            case .rootfs:
                SettingProblem(\.host.rootfs, "there is no such directory: name the root directory of the host")
            }
        }
        #else
        []
        #endif
    }

    /// The example file.
    package static var exampleFile: String {
        table.exampleFile(head: [
            "The configuration of `wpexporter node`: all settings, at their defaults.",
            "Flags override environment variables, which override this file. docs/node.md has the details.",
        ])
    }

    private static let pathRows: [Setting<NodeSettings>] = [
        Setting(
            "path.procfs",
            \.host.procfs,
            .path,
            plainVariables: ["METRICS_PROC_ROOT"],
            needsRestart: true,
            help: "Mount point of the host's procfs"
        ),
        Setting(
            "path.sysfs",
            \.host.sysfs,
            .path,
            plainVariables: ["METRICS_SYS_ROOT"],
            needsRestart: true,
            help: "Mount point of the host's sysfs"
        ),
        Setting(
            "path.rootfs",
            \.host.rootfs,
            .path,
            plainVariables: ["METRICS_HOST_ROOT"],
            needsRestart: true,
            help: "Mount point of the host's root directory"
        ),
        Setting(
            "path.udev_data",
            \.host.udevData,
            .optional(.path),
            flag: "--path.udev.data",
            defaultNote: "run/udev/data below path.rootfs",
            sample: "/run/udev/data",
            needsRestart: true,
            help: "Directory of udev's device database"
        ),
    ]

    private static let collectorRows: [Setting<NodeSettings>] =
        [
            Setting(
                "collectors.disable_defaults",
                \.disablesDefaultCollectors,
                .boolean,
                flag: "--collector.disable-defaults",
                needsRestart: true,
                help: "Run only the collectors that are enabled explicitly"
            )
        ] + HostCollectorName.allCases.map(row)

    private static func row(_ name: HostCollectorName) -> Setting<NodeSettings> {
        let isOnByDefault = HostCollectorName.defaults.contains(name)
        return Setting(
            "collectors.\(name.rawValue)",
            \.host[collects: name],
            .boolean,
            flag: "--collector.\(name.rawValue)",
            default: { isOnByDefault && !$0.disablesDefaultCollectors },
            defaultNote: isOnByDefault ? "true, unless collectors.disable_defaults" : "false",
            needsRestart: true,
            help: "Run the collector \(name.rawValue)"
        )
    }

    // As in node_exporter, an inclusion replaces the default exclusion.
    private static let exclusionsWithDefault: [Setting<NodeSettings>] = [
        Setting(
            "exclude.mount_points",
            \.host.excludedMountPoints,
            .pattern,
            flag: "--collector.filesystem.mount-points-exclude",
            aliases: ["--collector.filesystem.ignored-mount-points"],
            default: { $0.host.includedMountPoints == nil ? HostConfiguration.defaultExcludedMountPoints : .nothing },
            defaultNote: "node_exporter's",
            sample: "^/(dev|proc|sys)($|/)",
            needsRestart: true,
            help: "Mount points to exclude"
        ),
        Setting(
            "exclude.filesystem_types",
            \.host.excludedFilesystemTypes,
            .pattern,
            flag: "--collector.filesystem.fs-types-exclude",
            aliases: ["--collector.filesystem.ignored-fs-types"],
            default: {
                $0.host.includedFilesystemTypes == nil ? HostConfiguration.defaultExcludedFilesystemTypes : .nothing
            },
            defaultNote: "node_exporter's",
            sample: "^(overlay|tmpfs)$",
            needsRestart: true,
            help: "File system types to exclude"
        ),
        Setting(
            "exclude.disks",
            \.host.excludedDisks,
            .pattern,
            flag: "--collector.diskstats.device-exclude",
            aliases: ["--collector.diskstats.ignored-devices"],
            default: { $0.host.includedDisks == nil ? HostConfiguration.defaultExcludedDisks : .nothing },
            defaultNote: "node_exporter's",
            sample: "^(ram|loop)",
            needsRestart: true,
            help: "Block devices to exclude"
        ),
    ]
    private static let exclusions: [PatternRow] = [
        (
            "exclude.traffic", \.host.excludedTraffic, "netdev.device-exclude", "netdev.device-blacklist", "^veth",
            "Network interfaces to exclude from traffic"
        ),
        (
            "exclude.interfaces", \.host.excludedInterfaces, "netclass.ignored-devices", nil, "^veth",
            "Network interfaces to exclude from attributes"
        ),
        ("exclude.chips", \.host.excludedChips, "hwmon.chip-exclude", nil, "^nvme_", "hwmon chips to exclude"),
        (
            "exclude.sensors", \.host.excludedSensors, "hwmon.sensor-exclude", nil, ";fan9$",
            "hwmon sensors to exclude, as CHIP;SENSOR"
        ),
        (
            "exclude.neighbours", \.host.excludedNeighbours, "arp.device-exclude", nil, "^veth",
            "Network interfaces to exclude from ARP entries"
        ),
        (
            "exclude.power_supplies", \.host.excludedPowerSupplies, "powersupply.ignored-supplies", nil, "^hid",
            "Power supplies to exclude"
        ),
        ("exclude.tapes", \.host.excludedTapes, "tapestats.ignored-devices", nil, "^st9", "Tape drives to exclude"),
    ]
    private static let fieldSelections: [Setting<NodeSettings>] = [
        Setting(
            "exclude.vmstat_fields_but",
            \.host.includedVMStatFields,
            .pattern,
            flag: "--collector.vmstat.fields",
            defaultNote: "node_exporter's",
            sample: "^pg",
            needsRestart: true,
            help: "Fields of /proc/vmstat to include; all others are excluded"
        ),
        Setting(
            "exclude.netstat_fields_but",
            \.host.includedNetstatFields,
            .pattern,
            flag: "--collector.netstat.fields",
            defaultNote: "node_exporter's",
            sample: "^Tcp_",
            needsRestart: true,
            help: "Counters of network protocols to include, such as Tcp_CurrEstab; all others are excluded"
        ),
    ]

    private static let inclusions: [PatternRow] = [
        (
            "include.mount_points", \.host.includedMountPoints, "filesystem.mount-points-include", nil, "^/srv($|/)",
            "Mount points to include; all others are excluded"
        ),
        (
            "include.filesystem_types", \.host.includedFilesystemTypes, "filesystem.fs-types-include", nil, "^ext4$",
            "File system types to include"
        ),
        ("include.disks", \.host.includedDisks, "diskstats.device-include", nil, "^nvme", "Block devices to include"),
        (
            "include.traffic", \.host.includedTraffic, "netdev.device-include", "netdev.device-whitelist", "^eth",
            "Network interfaces to include in traffic"
        ),
        ("include.chips", \.host.includedChips, "hwmon.chip-include", nil, "coretemp", "hwmon chips to include"),
        (
            "include.sensors", \.host.includedSensors, "hwmon.sensor-include", nil, ";temp",
            "hwmon sensors to include, as CHIP;SENSOR"
        ),
        (
            "include.neighbours", \.host.includedNeighbours, "arp.device-include", nil, "^eth",
            "Network interfaces to include in ARP entries"
        ),
    ]

    private static var excludeRows: [Setting<NodeSettings>] {
        exclusionsWithDefault + patternRows(exclusions) + fieldSelections
    }

    /// The rows of optional patterns, each with the flag of node_exporter's collector.
    private static func patternRows(_ rows: [PatternRow]) -> [Setting<NodeSettings>] {
        rows.map { row in
            Setting(
                row.key,
                row.path,
                .optional(.pattern),
                flag: "--collector.\(row.flag)",
                aliases: row.alias.map { ["--collector.\($0)"] } ?? [],
                sample: row.sample,
                needsRestart: true,
                help: row.help
            )
        }
    }

    private typealias PatternRow = (
        key: String, path: any WritableKeyPath<NodeSettings, NamePattern?> & Sendable, flag: String, alias: String?,
        sample: String, help: String
    )

    @Sendable private static func warnings(
        _ settings: NodeSettings,
        _ origin: (SettingPath<NodeSettings>) -> SettingOrigin
    ) -> [String] {
        guard let hub = settings.node.hub, hub.exposesTraffic,
            settings.node.hubToken != nil || settings.node.hubTokenFile != nil
        else { return [] }
        return [
            "node.hub (\(origin(\.node.hub))): the token goes to \(hub.origin.host) unencrypted; use https if the hub "
                + "offers it"
        ]
    }
}
