// SPDX-License-Identifier: MIT

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
            help: "Name by which a hub knows this machine"
        ),
        Setting(
            "node.hub",
            \.node.hub,
            .optional(.hub),
            plainVariables: ["METRICS_AGENT_ADDR", "AGENT_ADDR"],
            sample: "https://hub.example.com:8082",
            needsRestart: true,
            help: "Address of the hub that snapshots are pushed to; none are without"
        ),
        Setting(
            "node.hub_token",
            \.node.hubToken,
            .optional(.secret),
            sample: "TOKEN",
            rules: [.needs(\.node.hub, why: "a token needs a hub")],
            help: "Bearer token that the hub asks for"
        ),
        Setting(
            "node.hub_token_file",
            \.node.hubTokenFile,
            .optional(.path),
            sample: "/etc/winpower-exporter/hub-token",
            file: .secret(of: \.node.hubToken),
            rules: [.needs(\.node.hub, why: "a token needs a hub")],
            help: "File with that token, read again for each push"
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
            help: "PEM file of the certificate authorities to trust"
        ),
        Setting(
            "node.push_interval",
            \.node.pushInterval,
            .duration(.seconds(1) ... .seconds(3600)),
            default: { max($0.collect.interval, .seconds(1)) },
            defaultNote: "collect.interval, at least 1s",
            needsRestart: true,
            help: "Time between two pushes"
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
            help: "How many times a push is attempted while its failure may pass; one that was refused (4xx) is not"
        ),
        Setting(
            "node.push_retry_delay",
            \.node.pushRetryDelay,
            .duration(.zero ... .seconds(300)),
            plainVariables: ["METRICS_PUSH_RETRY_DELAY"],
            needsRestart: true,
            help: "Longest wait after a first failure; each further one doubles it, up to 1m"
        ),
        Setting(
            "node.push_buffer",
            \.node.pushBuffer,
            .integer(1...10_000),
            needsRestart: true,
            help: "Maximum number of snapshots that are kept while the hub does not answer; more are thinned"
        ),
    ]

    static let collectRows: [Setting<NodeSettings>] = [
        Setting(
            "collect.cpu_interval",
            \.collect.cpuInterval,
            .duration(.milliseconds(100) ... .seconds(3600)),
            plainVariables: ["METRICS_CPU_INTERVAL"],
            needsRestart: true,
            help: "Time between two readings of the processors"
        ),
        Setting(
            "collect.process_interval",
            \.collect.processInterval,
            .duration(.milliseconds(100) ... .seconds(3600)),
            plainVariables: ["METRICS_PROC_INTERVAL"],
            needsRestart: true,
            help: "Time between two readings of the processes"
        ),
        Setting(
            "collect.interval",
            \.collect.interval,
            .duration(.milliseconds(100) ... .seconds(3600)),
            plainVariables: ["METRICS_COLLECT_INTERVAL"],
            needsRestart: true,
            help: "Time between two readings of all else"
        ),
        Setting(
            "collect.top_processes",
            \.host.topProcesses,
            .integer(0...1000),
            plainVariables: ["METRICS_TOP_PROCESSES"],
            needsRestart: true,
            help: "How many processes a snapshot names"
        ),
        Setting(
            "collect.command_lines",
            \.host.includesCommandLines,
            .boolean,
            needsRestart: true,
            help: "Read the command lines of those processes, which may hold secrets"
        ),
        Setting(
            "collect.textfile_directory",
            \.host.textFileDirectory,
            .optional(.path),
            flag: "--collector.textfile.directory",
            sample: "/var/lib/node_exporter/textfile_collector",
            needsRestart: true,
            help: "Directory whose files *.prom hold families that other programs leave there"
        ),
        Setting(
            "collect.call_deadline",
            \.host.callDeadline,
            .duration(.milliseconds(10) ... .seconds(60)),
            needsRestart: true,
            help: "How long a driver is waited for"
        ),
        Setting(
            "collect.mount_deadline",
            \.host.mountDeadline,
            .duration(.milliseconds(10) ... .seconds(60)),
            flag: "--collector.filesystem.mount-timeout",
            needsRestart: true,
            help: "How long a mounted file system is waited for"
        ),
    ]
}
