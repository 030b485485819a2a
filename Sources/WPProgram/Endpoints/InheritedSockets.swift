// SPDX-License-Identifier: MIT

package import WPLogging
import WPSockets

/// Compares listening sockets passed by the service manager with the settings. The sockets take precedence: a socket
/// unit may expose what `server.host` restricts to this machine.
package enum InheritedSockets {
    /// Logs each socket whose address differs from the settings. Blocks while the host name is resolved.
    package static func check(_ descriptors: [Int32], _ settings: ServerSettings, logger: Logger) {
        guard !descriptors.isEmpty else { return }
        let wanted = HostPort(host: settings.host, port: settings.port)
        // lint: a name that cannot be resolved matches no socket
        let hosts = (try? SocketAddress.lookUp(wanted.host, port: 0, isPassive: true))?.map(\.description) ?? []
        for descriptor in descriptors {
            let name = SocketOptions.localName(of: descriptor)
            guard !matches(name, hosts, port: wanted.port) else { continue }
            logger.warn(
                "The service manager's socket does not match server.host and server.port; the socket is used",
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

    /// Whether an address is a wildcard; "::" often includes IPv4.
    private static func isAny(_ host: String) -> Bool {
        host == "0.0.0.0" || host == "::"
    }
}
