// SPDX-License-Identifier: MIT

/// The kernel and the machine, as uname(2) reports them.
package struct SystemName: Sendable, Hashable {
    package let system, release, version, machine, node, domain: String
}

/// Calls uname(2).
struct UnameCollector: PlainCollector {
    static let name = "uname"

    mutating func collect(_ context: inout CollectionContext) -> SystemName? {
        // The field's name in the structure differs between C libraries.
        let domain = context.read(context.proc, "sys/kernel/domainname") { $0.trimmed.string }
        return SystemCalls.name(domain: domain ?? "(none)")
    }

    static func addFamilies(of name: SystemName, to families: inout HostFamilies) {
        let labels = [
            "domainname", name.domain, "machine", name.machine, "nodename", name.node, "release", name.release,
            "sysname", name.system, "version", name.version,
        ]
        families.add("uname_info", "Kernel and machine, from uname(2).", labels: labels, 1)
    }
}

extension HostSample {
    /// The kernel and the machine, as uname(2) reports them.
    package var uname: SystemName? { self[UnameCollector.self] }
}
