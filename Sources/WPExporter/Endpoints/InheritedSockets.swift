// SPDX-License-Identifier: MIT

import WPConfig
import WPLogging
import WPSockets

/// Listening sockets that a service manager passed, compared with what the settings say. The sockets are what counts: a
/// socket unit may open to the network what `server.host` confines to this computer.
enum InheritedSockets {
    /// Logs each socket that listens elsewhere than the settings say. It blocks while the host's name is looked up.
    static func check(_ descriptors: [Int32], _ settings: ServerSettings, logger: Logger) {
        guard !descriptors.isEmpty else { return }
        let wanted = HostPort(host: settings.host, port: settings.port)
        let hosts = (try? SocketAddress.lookUp(wanted.host, port: 0, isPassive: true))?.map(\.description) ?? []
        for descriptor in descriptors {
            let name = SocketOptions.localName(of: descriptor)
            guard !matches(name, hosts, port: wanted.port) else { continue }
            logger.warn(
                "The service manager's socket listens elsewhere than server.host and server.port say; the socket is used",
                [
                    "address": .string(name?.description ?? "a local socket"),
                    "settings": .string(wanted.description),
                ]
            )
        }
    }

    /// - Parameter port: 0 for any.
    private static func matches(_ name: HostPort?, _ hosts: [String], port: Int) -> Bool {
        guard let name, port == 0 || name.port == port else { return false }
        return hosts.contains(name.host) || isAny(name.host) && hosts.contains(where: isAny)
    }

    /// Whether an address stands for every one; "::" often stands for those of IPv4 too.
    private static func isAny(_ host: String) -> Bool {
        host == "0.0.0.0" || host == "::"
    }
}
