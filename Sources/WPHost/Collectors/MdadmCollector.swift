// SPDX-License-Identifier: MIT

/// A disk array according to md(4) and `/proc/mdstat`.
struct DiskArray: Sendable, Hashable {
    let name: String
    /// `active`, `inactive`, or the current operation: `recovering`, `resync`, `check`, `reshape`.
    var state: String
    /// Active, required, failed and spare disks.
    var active = 0.0, required = 0.0, failed = 0.0, spare = 0.0
    /// Its size in blocks of 1 KiB, and the number of synchronized blocks.
    var blocks = 0.0, synchronized = 0.0

    /// The arrays of a file, and the malformed lines, each of which affects only its array.
    static func parse(_ text: String) -> (arrays: [DiskArray], damaged: [String]) {
        var arrays: [DiskArray] = []
        var damaged: [String] = []
        var section: [Substring] = []
        func finish() {
            guard let head = section.first else { return }
            if let array = DiskArray(section) { arrays.append(array) } else { damaged.append(String(head)) }
            section = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isIndented = line.first?.isWhitespace ?? true
            if line.allSatisfy(\.isWhitespace) || line.hasPrefix("Personalities") || line.hasPrefix("unused") {
                finish()
            } else if !isIndented {
                finish()
                section = [line]
            } else if !section.isEmpty {
                section.append(line)
            }
        }
        finish()
        return (arrays, damaged)
    }

    /// Reads the lines of one array: its disks, size, state and current operation.
    private init?(_ lines: [Substring]) {
        let fields = lines[0].split(whereSeparator: \.isWhitespace)
        guard fields.count >= 3, fields[1] == ":", lines.count >= 2,
            let size = lines[1].split(whereSeparator: \.isWhitespace).first.flatMap({ UInt64($0) })
        else { return nil }
        (name, state) = (String(fields[0]), String(fields[2]))
        (blocks, synchronized) = (Double(size), Double(size))
        let disks = fields.dropFirst(3).filter { $0.contains("[") }
        failed = Double(disks.count { $0.hasSuffix("(F)") })
        spare = Double(disks.count { $0.hasSuffix("(S)") })
        if fields.contains("raid0") || fields.contains("linear") {
            (active, required) = (Double(disks.count), Double(disks.count))
        } else if state != "inactive" {
            guard let (wanted, used) = Self.disks(in: lines[1]) else { return nil }
            (required, active) = (wanted, used)
        }
        let steps = [
            ("recovery", "recovering"), ("reshape", "reshape"), ("resync", "resync"), ("check", "check"),
        ]
        for line in lines.dropFirst(2) where !line.contains("bitmap:") {
            guard let step = steps.first(where: { line.contains($0.0) }) else { continue }
            state = step.1
            synchronized = 0
            if line.contains("PENDING") || line.contains("DELAYED") { continue }
            guard let done = Self.done(in: line) else { return nil }
            synchronized = done
        }
    }

    /// Parses `[4/3] [UUU_]`: four disks are required, three active.
    private static func disks(in line: Substring) -> (Double, Double)? {
        for field in line.split(whereSeparator: \.isWhitespace) where field.hasPrefix("[") && field.hasSuffix("]") {
            let numbers = field.dropFirst().dropLast().split(separator: "/").map { UInt32($0) }
            if numbers.count == 2, let wanted = numbers[0], let used = numbers[1] {
                return (Double(wanted), Double(used))
            }
        }
        return nil
    }

    /// The number of finished blocks in `(16775552/195310144)`.
    private static func done(in line: Substring) -> Double? {
        guard let start = line.firstIndex(of: "("), let end = line[start...].firstIndex(of: "/") else { return nil }
        return UInt64(line[line.index(after: start)..<end]).map { Double($0) }
    }
}

/// Reads `/proc/mdstat` and `/sys/block/*/md`.
struct MdadmCollector: PlainCollector {
    static let name = "mdadm"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let text = context.read(context.proc, "mdstat", { $0.string }) else { return nil }
        let (arrays, damaged) = DiskArray.parse(text)
        for line in damaged { context.malformed(context.proc, "mdstat", line) }
        var families = HostFamilies()
        for array in arrays { Self.add(array, to: &families) }
        let attributes = context.readAttributes(
            of: arrays.map(\.name),
            in: "block",
            ["md/raid_disks", "md/degraded", "md/level"]
        )
        for (name, values) in attributes {
            let numbers = values.map { $0.flatMap { UInt32($0) } }
            families.add("md_raid_disks", "Disks of an array, from sysfs.", labels: ["device", name], numbers[0])
            // An array without redundancy has no such file: it either works with all of its disks or not at all.
            let hasNoRedundancy = ["raid0", "linear"].contains(values[2])
            families.add(
                "md_degraded",
                "Disks that are missing from an array.",
                labels: ["device", name],
                numbers[1] ?? (hasNoRedundancy ? 0 : nil)
            )
        }
        return families
    }

    private static func add(_ array: DiskArray, to families: inout HostFamilies) {
        for state in ["active", "inactive", "recovering", "resync", "check"] {
            families.add(
                "md_state",
                "Whether an array is in a state.",
                labels: ["device", array.name, "state", state],
                array.state == state ? 1 : 0
            )
        }
        for (state, count) in [("active", array.active), ("failed", array.failed), ("spare", array.spare)] {
            families.add(
                "md_disks",
                "Disks of an array by state.",
                labels: ["device", array.name, "state", state],
                count
            )
        }
        let labels = ["device", array.name]
        families.add("md_disks_required", "Disks that an array needs.", labels: labels, array.required)
        families.add("md_blocks", "Blocks of an array.", labels: labels, array.blocks)
        families.add("md_blocks_synced", "Synchronized blocks of an array.", labels: labels, array.synchronized)
    }
}
