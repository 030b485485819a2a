// SPDX-License-Identifier: MIT

/// Names and addresses of this machine.
package enum Loopback {
    /// Whether a host is this machine, by its name or address: `localhost`, `127.0.0.0/8` or `::1`.
    package static func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
