// SPDX-License-Identifier: MIT

package import WPConfig
import WPLogging
package import WPModel
import WPNUT
import WPProgram
import WPSockets

extension NUTSettings {
    /// The networks of `nut.allow`: `.some(nil)` if any address is allowed; nil if a network is invalid.
    var networks: [IPNetwork]?? {
        guard let allow else { return .some(nil) }
        var networks: [IPNetwork] = []
        for part in allow.split(separator: ",") {
            guard let network = IPNetwork(String(part.filter { $0 != " " })) else { return nil }
            networks.append(network)
        }
        return .some(networks)
    }

    /// The names of `nut.names`.
    /// - Throws: if a name is invalid or two UPSes have the same name.
    var upsNames: UPSNames {
        get throws {
            var given: [DeviceID: String] = [:]
            for pair in names.all { given[DeviceID(pair.device)] = pair.name }
            return try UPSNames(given: given)
        }
    }
}

extension ExporterSettings {
    /// The name of a UPS for clients of Network UPS Tools.
    package func nutName(of id: DeviceID) throws -> String { try nut.upsNames.name(of: id) }
}

extension NUTServer.Configuration {
    /// The configuration from `nut.*`. Reads the certificate files.
    /// - Throws: if one of them is unusable.
    init(_ settings: NUTSettings, logger: Logger) throws {
        guard let networks = settings.networks else { throw UnusableNetworks() }
        self.init(
            addresses: settings.listen.all.map { HostPort(host: $0.host, port: $0.port) },
            allowed: networks,
            usersFile: settings.usersFile,
            tls: try settings.tls.context(logger: logger),
            requiresTLSForLogin: settings.requireTLSForLogin,
            lowBattery: LowBatteryRule(
                chargePercent: settings.lowBatteryPercent,
                runtime: settings.lowBatteryRuntime
            ),
            staleAfter: settings.staleAfter,
            forcedShutdownHold: settings.forcedShutdownHold,
            names: try settings.upsNames
        )
    }
}

private struct UnusableNetworks: Error, CustomStringConvertible {
    let description = "nut.allow has an invalid network; use networks such as 10.0.0.0/8"
}
