// SPDX-License-Identifier: MIT

package import WPHost
package import WPTerminal

/// A snapshot for a terminal or a file: a heading, and a table for each kind of device.
package struct SnapshotView: Sendable {
    private let snapshot: NodeSnapshot
    private let width: Int?
    private let glyphs: Glyphs

    /// Creates a view.
    /// - Parameters:
    ///   - width: the maximum line width; nil for no limit.
    ///   - glyphs: the characters of bars and marks.
    package init(_ snapshot: NodeSnapshot, width: Int?, glyphs: Glyphs) {
        self.snapshot = snapshot
        self.width = width
        self.glyphs = glyphs
    }

    /// All lines.
    package var lines: [StyledText] { lines(rows: nil) }

    /// The lines that fit on a screen; processes are omitted first.
    package func lines(rows: Int?) -> [StyledText] {
        var all = heading
        let sections = [disks, networks, sensors].filter { !$0.isEmpty }
        for section in sections { all += [""] + section }
        if !snapshot.processes.isEmpty { all += [""] + processes }
        let cut = width.map { width in all.map { $0.cut(to: width, mark: glyphs.cut) } } ?? all
        return rows.map { Array(cut.prefix($0)) } ?? cut
    }

    // MARK: Heading

    private var heading: [StyledText] {
        let os = [snapshot.os, snapshot.kernel].compactMap { $0 }.joined(separator: ", kernel ")
        let title =
            StyledText(snapshot.nodeName, .bold) + "  " + StyledText(os) + "  "
            + StyledText("up \(SnapshotText.span(snapshot.uptime)), \(snapshot.timestamp)", .dim)
        return [title, ""] + [cpu, load, memory, swap].compactMap { $0 }
    }

    private func bar(_ name: String, _ percent: Double?, _ rest: String) -> StyledText {
        let (full, empty) = glyphs.bar((percent ?? 0) / 100, width: 20)
        return StyledText(name, .bold).padded(to: 8) + StyledText(full, SnapshotText.style(percent))
            + StyledText(empty, .dim) + " "
            + StyledText(SnapshotText.percent(percent), SnapshotText.style(percent)).padded(to: 8, .right) + "  "
            + StyledText(rest)
    }

    private var cpu: StyledText? {
        guard let cpu = snapshot.cpu else { return nil }
        let modes = [("user", cpu.userPercent), ("system", cpu.systemPercent), ("iowait", cpu.iowaitPercent)]
        let parts = modes.map { "\($0) \(SnapshotText.percent($1))" }
        let count = cpu.threads.map { "\($0) processors" }
        let temperature = snapshot.temperature?.cpu.map { SnapshotText.temperature($0) }
        return bar(
            "CPU",
            cpu.usagePercent,
            (parts + [count, temperature, cpu.model].compactMap { $0 }).joined(separator: ", ")
        )
    }

    private var load: StyledText? {
        guard let cpu = snapshot.cpu, cpu.load1 != nil else { return nil }
        let loads = [cpu.load1, cpu.load5, cpu.load15].map { SnapshotText.number($0, 2) }.joined(separator: "  ")
        return StyledText("Load", .bold).padded(to: 8) + StyledText(loads)
    }

    private var memory: StyledText? {
        guard let memory = snapshot.memory else { return nil }
        let text =
            "\(SnapshotText.size(memory.used)) of \(SnapshotText.size(memory.total)), "
            + "\(SnapshotText.size(memory.available)) available"
        return bar("Memory", memory.usagePercent, text)
    }

    private var swap: StyledText? {
        guard let memory = snapshot.memory, let total = memory.swapTotal, total > 0 else { return nil }
        return bar(
            "Swap",
            memory.swapPercent,
            "\(SnapshotText.size(memory.swapUsed)) of \(SnapshotText.size(total))"
        )
    }

    // MARK: Tables

    private var disks: [StyledText] {
        table(
            [
                .init("DISK", minimumWidth: 10, comfortableWidth: 24), .init("MOUNTED ON", minimumWidth: 10),
                .init("TYPE", dropOrder: 4, isExtra: true), .init("SIZE", .right), .init("USED", .right),
                .init("USE", .right), .init("READ", .right, dropOrder: 1), .init("WRITE", .right, dropOrder: 1),
                .init("IOPS", .right, dropOrder: 3), .init("BUSY", .right, dropOrder: 2),
            ],
            snapshot.disks.map { disk in
                [
                    StyledText(disk.device), StyledText(disk.mountPoint), StyledText(disk.filesystemType ?? ""),
                    StyledText(SnapshotText.size(disk.total)), StyledText(SnapshotText.size(disk.used)),
                    StyledText(SnapshotText.percent(disk.usagePercent), SnapshotText.style(disk.usagePercent)),
                    StyledText(SnapshotText.rate(disk.readRate)), StyledText(SnapshotText.rate(disk.writeRate)),
                    StyledText(SnapshotText.number(disk.iops, 0)), StyledText(SnapshotText.percent(disk.utilization)),
                ]
            }
        )
    }

    private var networks: [StyledText] {
        table(
            [
                .init("INTERFACE", minimumWidth: 8), .init("ADDRESS", minimumWidth: 10),
                .init("STATE"), .init("SPEED", .right, dropOrder: 3, isExtra: true), .init("RECEIVED", .right),
                .init("SENT", .right), .init("ERRORS", .right, dropOrder: 1), .init("DROPS", .right, dropOrder: 2),
            ],
            snapshot.networks.map { network in
                let errors = Self.sum(network.receiveErrors, network.sendErrors)
                let drops = Self.sum(network.receiveDrops, network.sendDrops)
                return [
                    StyledText(network.interface), StyledText(network.ipAddress ?? SnapshotText.unknown),
                    StyledText(network.status ?? SnapshotText.unknown),
                    StyledText(network.speed.map { "\($0) Mbit/s" } ?? SnapshotText.unknown),
                    StyledText(SnapshotText.rate(network.receiveRate)), StyledText(SnapshotText.rate(network.sendRate)),
                    StyledText(SnapshotText.number(errors)), StyledText(SnapshotText.number(drops)),
                ]
            }
        )
    }

    private var sensors: [StyledText] {
        table(
            [
                .init("SENSOR", minimumWidth: 8), .init("LABEL", minimumWidth: 8), .init("NOW", .right),
                .init("MAX", .right), .init("CRITICAL", .right),
            ],
            (snapshot.temperature?.sensors ?? []).map { sensor in
                [
                    StyledText(sensor.name), StyledText(sensor.label ?? ""),
                    StyledText(
                        SnapshotText.temperature(sensor.current),
                        SnapshotText.style(sensor.current, warnFrom: 75)
                    ),
                    StyledText(SnapshotText.temperature(sensor.max)),
                    StyledText(SnapshotText.temperature(sensor.critical)),
                ]
            }
        )
    }

    private var processes: [StyledText] {
        table(
            [
                .init("PID", .right), .init("USER", minimumWidth: 6, dropOrder: 2), .init("S"), .init("CPU", .right),
                .init("MEMORY", .right), .init("RESIDENT", .right),
                .init("THREADS", .right, dropOrder: 3, isExtra: true),
                .init("PROCESS", minimumWidth: 12),
            ],
            snapshot.processes.map { process in
                [
                    StyledText(String(process.pid)), StyledText(process.user ?? SnapshotText.unknown),
                    StyledText(process.status ?? SnapshotText.unknown),
                    StyledText(SnapshotText.percent(process.cpuPercent)),
                    StyledText(SnapshotText.percent(process.memoryPercent)),
                    StyledText(SnapshotText.size(process.residentBytes)),
                    StyledText(SnapshotText.number(process.threads)), StyledText(process.commandLine ?? process.name),
                ]
            }
        )
    }

    private func table(_ columns: [TextTable.Column], _ rows: [[StyledText]]) -> [StyledText] {
        rows.isEmpty ? [] : TextTable(columns, rows: rows).lines(width: width, mark: glyphs.cut)
    }

    private static func sum(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
        guard one != nil || other != nil else { return nil }
        return (one ?? 0) &+ (other ?? 0)
    }
}
