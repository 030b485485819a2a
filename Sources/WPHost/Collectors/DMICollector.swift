// SPDX-License-Identifier: MIT

/// Reads the firmware's description of the machine: `/sys/class/dmi/id`. Only root can read serial numbers.
struct DMICollector: PlainCollector {
    static let name = "dmi"

    private static let files = [
        "bios_date", "bios_release", "bios_vendor", "bios_version", "board_asset_tag", "board_name", "board_serial",
        "board_vendor", "board_version", "chassis_asset_tag", "chassis_serial", "chassis_vendor", "chassis_version",
        "product_family", "product_name", "product_serial", "product_sku", "product_uuid", "product_version",
        "sys_vendor",
    ]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let values = context.readAttributes(of: ["id"], in: "class/dmi", Self.files)[0].values
        let labels = zip(Self.files, values).flatMap { file, value in
            value.map { [file == "sys_vendor" ? "system_vendor" : file, $0] } ?? []
        }
        var families = HostFamilies()
        if !labels.isEmpty { families.add("dmi_info", "Identity of the machine from its firmware.", labels: labels, 1) }
        return families.isEmpty ? nil : families
    }
}
