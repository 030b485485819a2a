// SPDX-License-Identifier: MIT

package import WPCommandLine
import WPHost
import WPProgram
package import WPSettings

/// Translates node_exporter's flags whose values differ from those of the agent's settings.
package struct NodeExporterFlags: Sendable {
    /// The equivalent flags of the agent.
    package private(set) var settings: [ParsedFlag] = []
    /// Warnings about flags that have no effect.
    package private(set) var warnings: [String] = []

    /// Translates node_exporter's flags.
    /// - Throws: `OptionFault` if node_exporter would reject a value.
    package init(_ options: ParsedOptions) throws(OptionFault) {
        for option in Self.absentCollectors where options.value(of: option.name) == "true" {
            throw OptionFault(.invalidValue, "\(option.name): the agent does not have this collector of node_exporter")
        }
        try addAddresses(options.values(of: "--web.listen-address"))
        if let level = options.value(of: "--log.level") {
            settings.append(ParsedFlag("--log.level", key: "logging.level", value: level))
        }
        if let format = options.value(of: "--log.format") {
            let own = format == "json" ? "json" : "console"
            settings.append(ParsedFlag("--log.format", key: "logging.format", value: own))
        }
        if let path = options.value(of: "--web.telemetry-path"), path != "/metrics" {
            throw OptionFault(.invalidValue, "--web.telemetry-path: the agent serves /metrics and no other path")
        }
        if let path = options.value(of: "--web.config.file"), !path.isEmpty {
            let web = try WebConfigFile(path)
            settings += web.settings
            warnings += web.warnings
        }
        for option in Self.ignored where options.contains(option.name) {
            warnings.append("\(option.name) is a flag of node_exporter that has no effect here")
        }
    }

    /// Adds addresses, each of which is `HOST:PORT` or `:PORT`.
    private mutating func addAddresses(_ texts: [String]) throws(OptionFault) {
        let flag = "--web.listen-address"
        var addresses: [ListenAddress] = []
        for text in texts {
            guard let address = ListenAddress(text) else {
                throw OptionFault(.invalidValue, "\(flag): found \(text), expected HOST:PORT, [IPV6]:PORT or :PORT")
            }
            addresses.append(address)
        }
        guard let first = addresses.first else { return }
        settings.append(ParsedFlag(flag, key: "server.port", value: String(first.port)))
        if !first.host.isEmpty { settings.append(ParsedFlag(flag, key: "server.host", value: first.host)) }
        guard addresses.count > 1 else { return }
        let others = addresses.dropFirst().map(\.description).joined(separator: ",")
        settings.append(ParsedFlag(flag, key: "server.additional_addresses", value: others))
    }

    /// The flags, which the help text omits.
    package static var options: [CommandOption] {
        [
            CommandOption(
                "--web.listen-address",
                .value("ADDRESS"),
                help: "Address to listen on, such as :9100",
                isRepeatable: true,
                isListed: false
            ),
            CommandOption(
                "--web.config.file",
                .value("PATH"),
                help: "node_exporter's file with the certificate and the users",
                isListed: false
            ),
            CommandOption(
                "--web.telemetry-path",
                .value("PATH"),
                help: "Accepted only with the value /metrics",
                isListed: false
            ),
            CommandOption(
                "--log.level",
                .choice(["debug", "info", "warn", "error"]),
                help: "Minimum level",
                isListed: false
            ),
            CommandOption(
                "--log.format",
                .choice(["logfmt", "json"]),
                help: "logfmt is logging.format console",
                isListed: false
            ),
        ] + absentCollectors + ignored
    }

    /// Flags of node_exporter's collectors that the agent lacks. Deployments may pass the flags that disable them.
    private static let absentCollectors = [
        "bcachefs", "boottime", "buddyinfo", "cgroups", "devstat", "drbd", "drm", "ethtool", "exec", "interrupts",
        "ksmd",
        "lnstat", "logind", "meminfo_numa", "mountstats", "netisr", "network_route", "ntp", "pcidevice", "perf",
        "qdisc",
        "runit", "slabinfo", "softirqs", "supervisord", "swap", "sysctl", "systemd", "tcpstat", "wifi", "xfrm",
        "zoneinfo",
    ].filter { HostCollectorName(rawValue: $0) == nil }
        .map { CommandOption("--collector.\($0)", .boolean, help: "Accepted only to be disabled", isListed: false) }

    /// Flags that are accepted with a warning.
    private static let ignored =
        [
            "--web.disable-exporter-metrics", "--web.systemd-socket", "--collector.bcache.priorityStats",
            "--collector.cpu.guest", "--collector.cpu.info", "--collector.netclass.ignore-invalid-speed",
            "--collector.netclass.netlink", "--collector.netclass_rtnl.with-stats", "--collector.netdev.address-info",
            "--collector.netdev.enable-detailed-metrics", "--collector.netdev.label-ifalias",
            "--collector.netdev.netlink",
            "--collector.ntp.server-is-local", "--collector.rapl.enable-zone-label", "--collector.stat.softirq",
            "--collector.interrupts.include-zeros", "--collector.systemd.enable-task-metrics",
            "--collector.systemd.enable-restarts-metrics", "--collector.systemd.enable-start-time-metrics",
            "--collector.systemd.private",
        ].map { CommandOption($0, .boolean, help: "Accepted without effect", isListed: false) }
        + [
            "--web.max-requests", "--runtime.gomaxprocs", "--collector.cpu.info.flags-include",
            "--collector.cpu.info.bugs-include", "--collector.ethtool.device-include",
            "--collector.ethtool.device-exclude",
            "--collector.ethtool.metrics-include", "--collector.filesystem.stat-workers",
            "--collector.interrupts.name-include", "--collector.interrupts.name-exclude",
            "--collector.ipvs.backend-labels", "--collector.ntp.server", "--collector.ntp.server-port",
            "--collector.ntp.protocol-version", "--collector.ntp.ip-ttl", "--collector.ntp.max-distance",
            "--collector.ntp.local-offset-tolerance", "--collector.perf.cpus", "--collector.perf.tracepoint",
            "--collector.qdisc.fixtures", "--collector.qdisc.device-include", "--collector.qdisc.device-exclude",
            "--collector.qdisk.device-include", "--collector.qdisk.device-exclude", "--collector.runit.servicedir",
            "--collector.slabinfo.slabs-include", "--collector.slabinfo.slabs-exclude", "--collector.supervisord.url",
            "--collector.sysctl.include", "--collector.sysctl.include-info", "--collector.systemd.unit-include",
            "--collector.systemd.unit-exclude", "--collector.wifi.fixtures",
        ].map { name in
            CommandOption(name, .value("VALUE"), help: "Accepted without effect", isRepeatable: true, isListed: false)
        }
}
