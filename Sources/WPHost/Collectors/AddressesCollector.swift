// SPDX-License-Identifier: MIT

/// An IP address of a network interface.
package struct InterfaceAddress: Sendable, Hashable {
    package let device: String
    /// The address as text, without a scope.
    package let address: String
    package let isIPv6: Bool
    /// Whether it is valid on one link only (fe80::/10, 169.254.0.0/16).
    package let isLinkLocal: Bool
}

/// Calls getifaddrs(3), which lists only the addresses in this program's network namespace.
struct AddressesCollector: PlainCollector {
    static let name = "addresses"

    mutating func collect(_ context: inout CollectionContext) -> [InterfaceAddress]? {
        do {
            return try SystemCalls.addresses()
        } catch {
            context.faults.append(error)
            return nil
        }
    }
}

extension HostSample {
    /// Addresses of network interfaces.
    package var addresses: [InterfaceAddress]? { self[AddressesCollector.self] }
}
