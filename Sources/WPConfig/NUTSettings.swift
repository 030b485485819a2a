// SPDX-License-Identifier: MIT

import WPCore
package import WPProgram
import WPSettings

/// The server for Network UPS Tools: `nut.*`.
package struct NUTSettings: Sendable, Hashable {
    /// Whether the server is enabled.
    package var enabled = false
    /// The addresses on which the server listens.
    package var listen = NUTAddresses()
    /// The users file in the format of `upsd.users`; nil for no users.
    package var usersFile: String?
    /// The networks whose connections are accepted, separated by commas; nil for all.
    package var allow: String?
    /// Its certificate, of which only ``ServerTLSSettings/certFile`` and ``ServerTLSSettings/keyFile`` are used.
    package var tls = ServerTLSSettings()
    /// Whether a login from another machine needs TLS.
    package var requireTLSForLogin = true
    /// The charge at which the battery counts as low.
    package var lowBatteryPercent = 20
    /// The runtime at which the battery counts as low.
    package var lowBatteryRuntime: Duration = .seconds(180)
    /// The names that the operator assigned.
    package var names = NUTNames()
    /// The age at which a reading is stale. If unset, three times ``SchedulerSettings/collectionInterval``.
    package var staleAfter: Duration = .seconds(15)
    /// How long the mains must be present before a forced shutdown is cleared.
    package var forcedShutdownHold: Duration = .seconds(300)
}

/// Addresses with ports in the notation of settings: `127.0.0.1:3493,[::1]:3493`.
package struct NUTAddresses: Sendable, Hashable, CustomStringConvertible {
    /// A host, without brackets, and its port.
    package struct Address: Sendable, Hashable {
        package var host: String
        package var port: Int
    }

    /// The default port of NUT.
    package static let port = 3493
    /// The addresses; at least one.
    package let all: [Address]

    /// Creates a list that contains only the loopback address.
    package init() {
        all = [Address(host: "127.0.0.1", port: Self.port)]
    }

    /// Parses addresses separated by commas; the default port is ``port``.
    /// - Returns: nil for any other text.
    init?(_ text: String) {
        var all: [Address] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = Self.address(part.drop { $0 == " " }), !all.contains(address) else { return nil }
            all.append(address)
        }
        guard (1...16).contains(all.count) else { return nil }
        self.all = all
    }

    private static func address(_ text: Substring) -> Address? {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        let isHost = host.utf8.allSatisfy { byte in
            WinPowerURL.isNameByte(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
        }
        guard !host.isEmpty, isHost else { return nil }
        guard let port else { return Address(host: String(host), port: Self.port) }
        guard let number = Int(digits: port), number <= 65535 else { return nil }
        return Address(host: String(host), port: number)
    }

    /// The addresses separated by commas.
    package var description: String {
        all.map { $0.host.contains(":") ? "[\($0.host)]:\($0.port)" : "\($0.host):\($0.port)" }.joined(separator: ",")
    }
}

/// UPS names in the notation of settings: `DEVICE=NAME` separated by commas.
package struct NUTNames: Sendable, Hashable, CustomStringConvertible {
    /// A device's identifier and its name.
    package struct Pair: Sendable, Hashable {
        package var device: String
        package var name: String
    }

    /// The names in the order given.
    package let all: [Pair]

    /// Creates an empty list.
    package init() {
        all = []
    }

    /// Parses pairs; an empty text has none.
    /// - Returns: nil for any other text.
    init?(_ text: String) {
        var all: [Pair] = []
        var devices: Set<[UInt8]> = []
        for part in text.split(separator: ",") {
            let trimmed = part.drop { $0 == " " }
            // An identifier may contain an equals sign; a name may not.
            guard let sign = trimmed.lastIndex(of: "="), sign > trimmed.startIndex else { return nil }
            let pair = Pair(device: String(trimmed[..<sign]), name: String(trimmed[trimmed.index(after: sign)...]))
            guard !pair.name.isEmpty, devices.insert(Array(pair.device.utf8)).inserted else { return nil }
            all.append(pair)
        }
        self.all = all
    }

    /// The pairs separated by commas.
    package var description: String { all.map { "\($0.device)=\($0.name)" }.joined(separator: ",") }
}
