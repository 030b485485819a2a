// SPDX-License-Identifier: MIT

import WPHost
import WPSettings

// The rows of collection intervals and of the hub.
extension NodeSettings {
    static let nodeRows: [Setting<NodeSettings>] = [
        Setting(
            "node.name",
            \.node.name,
            .optional(.text),
            plainVariables: ["NODE_NAME"],
            defaultNote: "the host's name",
            sample: "rack1-node7",
            needsRestart: true,
            help: "Name of this machine on the hub"
        ),
        Setting(
            "node.hub",
            \.node.hub,
            .optional(.hub),
            plainVariables: ["METRICS_AGENT_ADDR", "AGENT_ADDR"],
            sample: "https://hub.example.com:8082",
            needsRestart: true,
            help: "Address of the hub to push snapshots to; without it, nothing is pushed"
        ),
        Setting(
            "node.hub_token",
            \.node.hubToken,
            .optional(.secret),
            sample: "TOKEN",
            rules: [.needs(\.node.hub, why: "a token needs a hub")],
            help: "Bearer token that the hub requires"
        ),
        Setting(
            "node.hub_token_file",
            \.node.hubTokenFile,
            .optional(.path),
            sample: "/etc/winpower-exporter/hub-token",
            file: .secret(of: \.node.hubToken),
            rules: [.needs(\.node.hub, why: "a token needs a hub")],
            help: "File with the token, read for each push"
        ),
        Setting(
            "node.hub_ca_file",
            \.node.hubCAFile,
            .optional(.path),
            defaultNote: "the system's authorities",
            sample: "/etc/winpower-exporter/ca.pem",
            file: .readable,
            needsRestart: true,
            rules: [.needs(\.node.hub, why: "the authority of a hub needs a hub")],
            help: "PEM file of the CA certificates to trust"
        ),
        Setting(
            "node.push_interval",
            \.node.pushInterval,
            .duration(.seconds(1) ... .seconds(3600)),
            default: { max($0.collect.interval, .seconds(1)) },
            defaultNote: "collect.interval, at least 1s",
            needsRestart: true,
            help: "Interval between pushes"
        ),
        Setting(
            "node.push_timeout",
            \.node.pushTimeout,
            .duration(.milliseconds(100) ... .seconds(300)),
            plainVariables: ["METRICS_PUSH_TIMEOUT"],
            needsRestart: true,
            help: "Time limit of one attempt"
        ),
        Setting(
            "node.push_attempts",
            \.node.pushAttempts,
            .integer(1...100),
            plainVariables: ["METRICS_PUSH_RETRY_COUNT"],
            needsRestart: true,
            help: "Number of attempts of a push; one that is rejected (4xx) is not repeated"
        ),
        Setting(
            "node.push_retry_delay",
            \.node.pushRetryDelay,
            .duration(.zero ... .seconds(300)),
            plainVariables: ["METRICS_PUSH_RETRY_DELAY"],
            needsRestart: true,
            help: "Maximum delay after the first failure; it doubles with each further one, up to 1m"
        ),
        Setting(
            "node.push_buffer",
            \.node.pushBuffer,
            .integer(1...10_000),
            needsRestart: true,
            help: "Maximum number of snapshots buffered while the hub is unavailable; beyond it, they are thinned"
        ),
    ]

    static let collectRows: [Setting<NodeSettings>] = [
        Setting(
            "collect.cpu_interval",
            \.collect.cpuInterval,
            .duration(.milliseconds(100) ... .seconds(3600)),
            plainVariables: ["METRICS_CPU_INTERVAL"],
            needsRestart: true,
            help: "Interval between samples of the processors"
        ),
        Setting(
            "collect.process_interval",
            \.collect.processInterval,
            .duration(.milliseconds(100) ... .seconds(3600)),
            plainVariables: ["METRICS_PROC_INTERVAL"],
            needsRestart: true,
            help: "Interval between samples of the processes"
        ),
        Setting(
            "collect.interval",
            \.collect.interval,
            .duration(.milliseconds(100) ... .seconds(3600)),
            plainVariables: ["METRICS_COLLECT_INTERVAL"],
            needsRestart: true,
            help: "Interval between samples of everything else"
        ),
        Setting(
            "collect.top_processes",
            \.host.topProcesses,
            .integer(0...1000),
            plainVariables: ["METRICS_TOP_PROCESSES"],
            needsRestart: true,
            help: "Maximum number of processes in a snapshot"
        ),
        Setting(
            "collect.command_lines",
            \.host.includesCommandLines,
            .boolean,
            needsRestart: true,
            help: "Include the command lines of these processes, which may contain secrets"
        ),
        Setting(
            "collect.textfile_directory",
            \.host.textFileDirectory,
            .optional(.path),
            flag: "--collector.textfile.directory",
            sample: "/var/lib/node_exporter/textfile_collector",
            needsRestart: true,
            help: "Directory of the *.prom files that other programs write"
        ),
        Setting(
            "collect.call_deadline",
            \.host.callDeadline,
            .duration(.milliseconds(10) ... .seconds(60)),
            needsRestart: true,
            help: "Time limit for a driver"
        ),
        Setting(
            "collect.mount_deadline",
            \.host.mountDeadline,
            .duration(.milliseconds(10) ... .seconds(60)),
            flag: "--collector.filesystem.mount-timeout",
            needsRestart: true,
            help: "Time limit for a mounted file system"
        ),
    ]
}
