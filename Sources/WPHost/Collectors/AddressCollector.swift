// SPDX-License-Identifier: MIT

/// An IP address of a network interface.
package struct InterfaceAddress: Sendable, Hashable {
    package let device: String
    /// The address as text, without a scope.
    package let address: String
    package let isIPv6: Bool
    /// Whether it is good on one link only (fe80::/10, 169.254.0.0/16).
    package let isLinkLocal: Bool
}

/// Asks getifaddrs(3), which knows the network namespace of this program only.
struct AddressCollector: HostCollector {
    static let name = HostCollectorName.addresses
    static let part: HostPart<[InterfaceAddress]> = \.addresses

    mutating func collect(_ context: inout CollectionContext) -> [InterfaceAddress]? {
        do {
            return try SystemCalls.addresses()
        } catch {
            context.faults.append(error)
            return nil
        }
    }
}

/// Kernel and machine.
package struct SystemName: Sendable, Hashable {
    package let system, release, version, machine, node, domain: String
}

/// Asks uname(2).
struct UnameCollector: HostCollector {
    static let name = HostCollectorName.uname
    static let part: HostPart<SystemName> = \.uname

    mutating func collect(_ context: inout CollectionContext) -> SystemName? {
        // Its name in the structure differs between C libraries.
        let domain = context.read(context.proc, "sys/kernel/domainname") { $0.trimmed.string }
        return SystemCalls.name(domain: domain ?? "(none)")
    }
}
