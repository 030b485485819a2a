// SPDX-License-Identifier: MIT

/// Reads `/sys/fs/selinux` and `/etc/selinux/config`.
struct SELinuxCollector: PlainCollector {
    static let name = "selinux"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let current = context.readAttributes([context.sys.path("fs/selinux/enforce")])[0]
        var families = HostFamilies()
        families.add("selinux_enabled", "Whether SELinux is enabled.", current == nil ? 0 : 1)
        guard let current else { return families }
        let mode = current.scanned { $0.trimmed.unsigned }
        families.add("selinux_current_mode", "Whether SELinux enforces its policy.", mode)
        let configured = context.read(context.root, "etc/selinux/config") { bytes -> Double? in
            for line in bytes.lines {
                let text = line.trimmed.string
                guard text.hasPrefix("SELINUX=") else { continue }
                return ["enforcing": 1, "permissive": 0, "disabled": -1][text.dropFirst(8)]
            }
            return nil
        }
        families.add("selinux_config_mode", "Whether SELinux is configured to enforce its policy.", configured ?? nil)
        return families
    }
}
