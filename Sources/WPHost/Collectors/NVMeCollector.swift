// SPDX-License-Identifier: MIT

/// Reads `/sys/class/nvme`.
struct NVMeCollector: PlainCollector {
    static let name = "nvme"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let names = context.names(context.sys, in: "class/nvme") else { return nil }
        var families = HostFamilies()
        let files = ["firmware_rev", "model", "serial", "state", "cntlid"]
        for (name, values) in context.readAttributes(of: names, in: "class/nvme", files) {
            let labels = [
                "cntlid", values[4] ?? "", "device", name, "firmware_revision", values[0] ?? "", "model",
                values[1] ?? "", "serial",
                values[2] ?? "", "state", values[3] ?? "",
            ]
            families.add("nvme_info", "Model, serial number and firmware of an NVMe controller.", labels: labels, 1)
            addNamespaces(of: name, to: &families, &context)
        }
        return families
    }

    private func addNamespaces(of device: String, to families: inout HostFamilies, _ context: inout CollectionContext) {
        let directory = "class/nvme/" + device
        let names = (context.names(context.sys, in: directory) ?? []).filter { $0.hasPrefix(device) }
        let files = ["size", "nuse", "queue/logical_block_size", "ana_state"]
        for (name, values) in context.readAttributes(of: names, in: directory, files) {
            // `nvme0n1`, and `nvme0c0n1` for multiple paths.
            guard let number = name.split(separator: "n").last, UInt32(number) != nil,
                let sectors = values[0].flatMap({ UInt64($0) })
            else { continue }
            let labels = ["device", device, "nsid", String(number)]
            let info = ["ana_state", values[3] ?? "unknown"] + labels
            families.add("nvme_namespace_info", "A namespace of an NVMe controller.", labels: info, 1)
            // Sectors of 512 bytes, regardless of the block size.
            let size = Double(sectors) * 512
            families.add("nvme_namespace_size_bytes", "Size of a namespace.", labels: labels, size)
            families.add("nvme_namespace_capacity_bytes", "Capacity of a namespace.", labels: labels, size)
            let block = values[2].flatMap { UInt64($0) }.map { Double($0) }
            families.add(
                "nvme_namespace_logical_block_size_bytes",
                "Size of a block of a namespace.",
                labels: labels,
                block
            )
            let used = values[1].flatMap { UInt64($0) }.map { Double($0) }
            let bytes = used.flatMap { used in block.map { used * $0 } }
            families.add("nvme_namespace_used_bytes", "Used space of a namespace.", labels: labels, bytes)
        }
    }
}
