// SPDX-License-Identifier: MIT

/// Reads the errors of memory (Documentation/admin-guide/ras.rst): `/sys/devices/system/edac/mc`.
struct MemoryErrorCollector: TableCollector {
    static let name = HostCollectorName.edac

    private static let directory = "devices/system/edac/mc"

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        let controllers = (context.names(context.sys, in: Self.directory) ?? []).numbered("mc")
        var tables = HostTables()
        let files = ["ce_count", "ue_count", "ce_noinfo_count", "ue_noinfo_count"]
        for (name, values) in context.readAttributes(of: controllers, in: Self.directory, files) {
            let controller = String(name.dropFirst(2))
            let numbers = values.map { $0.flatMap { UInt64($0) }.map { Double($0) } }
            let labels = ["controller", controller]
            tables.add("edac_correctable_errors_total", Self.help(true), kind: .counter, labels: labels, numbers[0])
            tables.add("edac_uncorrectable_errors_total", Self.help(false), kind: .counter, labels: labels, numbers[1])
            Self.addRow("unknown", controller, numbers[2], numbers[3], &tables)
            let directory = "\(Self.directory)/\(name)"
            let rows = (context.names(context.sys, in: directory) ?? []).numbered("csrow")
            for (row, values) in context.readAttributes(of: rows, in: directory, ["ce_count", "ue_count"]) {
                let numbers = values.map { $0.flatMap { UInt64($0) }.map { Double($0) } }
                Self.addRow(String(row.dropFirst(5)), controller, numbers[0], numbers[1], &tables)
                addChannels("\(directory)/\(row)", controller, String(row.dropFirst(5)), &tables, &context)
            }
        }
        return tables.tables
    }

    private func addChannels(
        _ directory: String,
        _ controller: String,
        _ row: String,
        _ tables: inout HostTables,
        _ context: inout CollectionContext
    ) {
        let names = (context.names(context.sys, in: directory) ?? [])
            .filter { $0.hasPrefix("ch") && $0.hasSuffix("_ce_count") }
            .map { String($0.dropLast(9)) }
            .numbered("ch")
        for channel in names {
            let files = ["ce_count", "ue_count", "dimm_label"].map { context.sys.path("\(directory)/\(channel)_\($0)") }
            let values = context.readAttributes(files).map { $0?.scanned { $0.trimmed.string } }
            let label = (values[2] ?? "unknown").replacing("#", with: "").replacing("csrow", with: "_csrow")
                .replacing("channel", with: "_channel")
            let labels = [
                "channel", String(channel.dropFirst(2)), "controller", controller, "csrow", row, "dimm_label", label,
            ]
            for (index, isCorrectable, name) in [(0, true, "correctable"), (1, false, "uncorrectable")] {
                tables.add(
                    "edac_channel_\(name)_errors_total",
                    Self.help(isCorrectable),
                    kind: .counter,
                    labels: labels,
                    values[index].flatMap { UInt64($0) }.map { Double($0) }
                )
            }
        }
    }

    private static func addRow(
        _ row: String,
        _ controller: String,
        _ corrected: Double?,
        _ lost: Double?,
        _ tables: inout HostTables
    ) {
        let labels = ["controller", controller, "csrow", row]
        tables.add("edac_csrow_correctable_errors_total", help(true), kind: .counter, labels: labels, corrected)
        tables.add("edac_csrow_uncorrectable_errors_total", help(false), kind: .counter, labels: labels, lost)
    }

    private static func help(_ isCorrectable: Bool) -> String {
        "Errors of memory that could \(isCorrectable ? "" : "not ")be corrected."
    }
}

/// Reads what the firmware says of the machine, once in a minute: `/sys/class/dmi/id`. Serial numbers are for root only,
/// and absent for others.
struct FirmwareCollector: TableCollector {
    static let name = HostCollectorName.dmi

    private static let interval = 60.0
    private static let files = [
        "bios_date", "bios_release", "bios_vendor", "bios_version", "board_asset_tag", "board_name", "board_serial",
        "board_vendor", "board_version", "chassis_asset_tag", "chassis_serial", "chassis_vendor", "chassis_version",
        "product_family", "product_name", "product_serial", "product_sku", "product_uuid", "product_version",
        "sys_vendor",
    ]
    private var last: (time: HostTime, tables: [HostTable]?)?

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        if let last, context.now.seconds(since: last.time) ?? 0 < Self.interval { return last.tables }
        let values = context.readAttributes(of: ["id"], in: "class/dmi", Self.files)[0].values
        let labels = zip(Self.files, values).flatMap { file, value in
            value.map { [file == "sys_vendor" ? "system_vendor" : file, $0] } ?? []
        }
        var tables: [HostTable]?
        if !labels.isEmpty {
            var made = HostTables()
            made.add("dmi_info", "What the firmware says of the machine.", labels: labels, 1)
            tables = made.tables
        }
        last = (context.now, tables)
        return tables
    }
}

/// Reads `/sys/class/nvme`.
struct NVMeCollector: TableCollector {
    static let name = HostCollectorName.nvme

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let names = context.names(context.sys, in: "class/nvme") else { return nil }
        var tables = HostTables()
        let files = ["firmware_rev", "model", "serial", "state", "cntlid"]
        for (name, values) in context.readAttributes(of: names, in: "class/nvme", files) {
            let labels = [
                "cntlid", values[4] ?? "", "device", name, "firmware_revision", values[0] ?? "", "model",
                values[1] ?? "", "serial",
                values[2] ?? "", "state", values[3] ?? "",
            ]
            tables.add("nvme_info", "What an NVMe controller says of itself.", labels: labels, 1)
            addNamespaces(name, &tables, &context)
        }
        return tables.tables
    }

    private func addNamespaces(_ device: String, _ tables: inout HostTables, _ context: inout CollectionContext) {
        let directory = "class/nvme/" + device
        let names = (context.names(context.sys, in: directory) ?? []).filter { $0.hasPrefix(device) }
        let files = ["size", "nuse", "queue/logical_block_size", "ana_state"]
        for (name, values) in context.readAttributes(of: names, in: directory, files) {
            // `nvme0n1`, and `nvme0c0n1` where there are several paths to it.
            guard let number = name.split(separator: "n").last, UInt32(number) != nil,
                let sectors = values[0].flatMap({ UInt64($0) })
            else { continue }
            let labels = ["device", device, "nsid", String(number)]
            let info = ["ana_state", values[3] ?? "unknown"] + labels
            tables.add("nvme_namespace_info", "A namespace of an NVMe controller.", labels: info, 1)
            // Sectors of 512 bytes, whatever the size of the blocks.
            let size = Double(sectors) * 512
            tables.add("nvme_namespace_size_bytes", "Size of a namespace.", labels: labels, size)
            tables.add("nvme_namespace_capacity_bytes", "Capacity of a namespace.", labels: labels, size)
            let block = values[2].flatMap { UInt64($0) }.map { Double($0) }
            tables.add(
                "nvme_namespace_logical_block_size_bytes",
                "Size of a block of a namespace.",
                labels: labels,
                block
            )
            let used = values[1].flatMap { UInt64($0) }.map { Double($0) }
            let bytes = used.flatMap { used in block.map { used * $0 } }
            tables.add("nvme_namespace_used_bytes", "Space of a namespace that is used.", labels: labels, bytes)
        }
    }
}

/// Reads the energy that processors and memory have used (Documentation/power/powercap): `/sys/class/powercap`. Kernels
/// since 5.10 show it to root only.
struct EnergyCollector: TableCollector {
    static let name = HostCollectorName.rapl

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let names = context.names(context.sys, in: "class/powercap") else { return nil }
        let zones = context.readAttributes(of: names, in: "class/powercap", ["name", "energy_uj"])
            .filter { $0.values[0] != nil }
        var tables = HostTables()
        var counts: [String: Int] = [:]
        for zone in zones {
            var name = zone.values[0] ?? ""
            var index = counts[name] ?? 0
            let parts = name.split(separator: "-", omittingEmptySubsequences: false)
            // `package-1`, while several of the name `dram` are counted.
            if parts.count == 2, let number = Int(parts[1]) { (name, index) = (String(parts[0]), number) }
            counts[name] = index &+ 1
            tables.add(
                "rapl_\(Self.clean(name))_joules_total",
                "Energy that \(name) has used.",
                kind: .counter,
                labels: ["index", String(index), "path", context.sys.path("class/powercap/\(zone.name)")],
                zone.values[1].flatMap { UInt64($0) }.map { Double($0) / 1e6 }
            )
        }
        return tables.tables.isEmpty && !zones.isEmpty ? nil : tables.tables
    }

    /// It with one `_` for each run of what a name may not contain.
    private static func clean(_ name: String) -> String {
        var result = ""
        var isGap = false
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9":
                if isGap { result += "_" }
                isGap = false
                result.unicodeScalars.append(scalar)
            default: isGap = true
            }
        }
        return isGap ? result + "_" : result
    }
}

/// Reads `/sys/class/watchdog`.
struct WatchdogCollector: TableCollector {
    static let name = HostCollectorName.watchdog

    private static let numbers = [
        ("bootstatus", "bootstatus"), ("fw_version", "fw_version"), ("nowayout", "nowayout"),
        ("timeleft", "timeleft_seconds"), ("timeout", "timeout_seconds"), ("pretimeout", "pretimeout_seconds"),
        ("access_cs0", "access_cs0"),
    ]
    private static let texts = ["options", "identity", "state", "status", "pretimeout_governor"]

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let names = context.names(context.sys, in: "class/watchdog") else { return nil }
        var tables = HostTables()
        let files = Self.numbers.map(\.0) + Self.texts
        for (name, values) in context.readAttributes(of: names, in: "class/watchdog", files) {
            for (number, value) in zip(Self.numbers, values) {
                tables.add(
                    "watchdog_" + number.1,
                    "The attribute \(number.0) of a watchdog timer.",
                    labels: ["name", name],
                    value.flatMap { Int64($0) }.map { Double($0) }
                )
            }
            let texts = zip(Self.texts, values.dropFirst(Self.numbers.count)).flatMap { [$0, $1 ?? ""] }
            tables.add("watchdog_info", "What a watchdog timer says of itself.", labels: ["name", name] + texts, 1)
        }
        return tables.tables
    }
}

/// Reads `/sys/fs/selinux` and `/etc/selinux/config`.
struct SELinuxCollector: TableCollector {
    static let name = HostCollectorName.selinux

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        let current = context.readAttributes([context.sys.path("fs/selinux/enforce")])[0]
        var tables = HostTables()
        tables.add("selinux_enabled", "Whether SELinux is on.", current == nil ? 0 : 1)
        guard let current else { return tables.tables }
        tables.add("selinux_current_mode", "Whether SELinux enforces its policy.", Self.number(current))
        let configured = context.read(context.root, "etc/selinux/config") { bytes -> Double? in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                let text = line.trimmed.string
                guard text.hasPrefix("SELINUX=") else { continue }
                return ["enforcing": 1, "permissive": 0, "disabled": -1][text.dropFirst(8)]
            }
            return nil
        }
        tables.add("selinux_config_mode", "Whether SELinux is configured to enforce its policy.", configured ?? nil)
        return tables.tables
    }

    private static func number(_ bytes: [UInt8]) -> Double? {
        bytes.scanned { $0.trimmed.unsigned }.map { Double($0) }
    }
}

extension [String] {
    /// Those that are a prefix and a number, by number.
    func numbered(_ prefix: String) -> [String] {
        compactMap { name in
            name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)).map { ($0, name) } : nil
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
