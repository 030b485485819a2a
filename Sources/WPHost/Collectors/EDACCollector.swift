// SPDX-License-Identifier: MIT

/// Reads memory errors (Documentation/admin-guide/ras.rst): `/sys/devices/system/edac/mc`.
struct EDACCollector: PlainCollector {
    static let name = "edac"

    private static let directory = "devices/system/edac/mc"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let controllers = (context.names(context.sys, in: Self.directory) ?? []).numbered("mc")
        var families = HostFamilies()
        let files = ["ce_count", "ue_count", "ce_noinfo_count", "ue_noinfo_count"]
        for (name, values) in context.readAttributes(of: controllers, in: Self.directory, files) {
            let controller = String(name.dropFirst(2))
            let numbers = values.map { $0.flatMap { UInt64($0) } }
            let labels = ["controller", controller]
            families.add("edac_correctable_errors_total", Self.help(true), labels: labels, numbers[0])
            families.add("edac_uncorrectable_errors_total", Self.help(false), labels: labels, numbers[1])
            Self.addRow("unknown", of: controller, correctable: numbers[2], uncorrectable: numbers[3], to: &families)
            let directory = "\(Self.directory)/\(name)"
            let rows = (context.names(context.sys, in: directory) ?? []).numbered("csrow")
            for (row, values) in context.readAttributes(of: rows, in: directory, ["ce_count", "ue_count"]) {
                let numbers = values.map { $0.flatMap { UInt64($0) } }
                let number = String(row.dropFirst(5))
                Self.addRow(number, of: controller, correctable: numbers[0], uncorrectable: numbers[1], to: &families)
                addChannels(in: "\(directory)/\(row)", labels: labels + ["csrow", number], to: &families, &context)
            }
        }
        return families
    }

    private func addChannels(
        in directory: String,
        labels: [String],
        to families: inout HostFamilies,
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
            let labels = ["channel", String(channel.dropFirst(2))] + labels + ["dimm_label", label]
            for (index, isCorrectable, name) in [(0, true, "correctable"), (1, false, "uncorrectable")] {
                families.add(
                    "edac_channel_\(name)_errors_total",
                    Self.help(isCorrectable),
                    labels: labels,
                    values[index].flatMap { UInt64($0) }
                )
            }
        }
    }

    private static func addRow(
        _ row: String,
        of controller: String,
        correctable: UInt64?,
        uncorrectable: UInt64?,
        to families: inout HostFamilies
    ) {
        let labels = ["controller", controller, "csrow", row]
        families.add("edac_csrow_correctable_errors_total", help(true), labels: labels, correctable)
        families.add("edac_csrow_uncorrectable_errors_total", help(false), labels: labels, uncorrectable)
    }

    private static func help(_ isCorrectable: Bool) -> String {
        "\(isCorrectable ? "Corrected" : "Uncorrected") memory errors."
    }
}
