// SPDX-License-Identifier: MIT

package import WPModel
import WPText

/// One reading of all devices as a JSON document. What was not reported has no key; units are in the names.
///
/// Keys are added in later versions, but none is renamed or removed while `version` stays.
package struct DeviceDocument: Encodable, Sendable {
    /// What the document is.
    package let format = "winpower-exporter devices"
    /// The version of its keys.
    package let version = 1
    /// The address of the WinPower server.
    package var server: String
    /// When the document was made: RFC 3339, UTC.
    package var time: String
    /// Why the devices could not be read this time; if so, those listed are the last ones known.
    package var failure: Failure?
    /// The devices, in the server's order.
    package var devices: [Entry]

    /// Creates a document.
    /// - Parameters:
    ///   - server: the address of the WinPower server, without credentials.
    ///   - time: this moment.
    ///   - readings: the devices.
    ///   - nutNames: their names for clients of Network UPS Tools; nil when there is no server for them.
    package init(server: String, time: TimePoint, readings: [DeviceReading], nutNames: [DeviceID: String]? = nil) {
        self.server = server
        self.time = RFC3339.string(time.wall)
        devices = readings.map { Entry($0, nutName: nutNames?[$0.device.id]) }
    }

    /// Why a reading failed.
    package struct Failure: Encodable, Sendable {
        /// The kind: the `reason` label of `winpower_exporter_scrape_errors_total`.
        package var reason: String
        /// What happened and what to do.
        package var message: String
        /// When the first of the readings that failed in a row did.
        package var since: String
        /// How many failed in a row.
        package var count: Int
    }

    /// The energy of a device in watt-hours.
    package struct Energy: Encodable, Sendable {
        /// Since the program that writes the document has started.
        package var sessionWattHours: Double
        /// The total that an exporter keeps in the data directory.
        package var totalWattHours: Double?

        enum CodingKeys: String, CodingKey {
            case sessionWattHours = "session_watt_hours"
            case totalWattHours = "total_watt_hours"
        }
    }

    /// A device and its values.
    package struct Entry: Encodable, Sendable {
        private let snapshot: UPSSnapshot
        /// Its energy, where it is metered.
        package var energy: Energy?

        /// Its name for clients of Network UPS Tools.
        private let nutName: String?

        init(_ reading: DeviceReading, nutName: String? = nil) {
            snapshot = UPSSnapshot(reading, total: nil)
            self.nutName = nutName
        }

        private enum Key: String, CodingKey {
            case energy
            case nutName = "nut_name"
        }

        /// Writes the keys of the device, and its energy beside them.
        package func encode(to encoder: any Encoder) throws {
            try snapshot.encode(to: encoder)
            var keys = encoder.container(keyedBy: Key.self)
            try keys.encodeIfPresent(energy, forKey: .energy)
            try keys.encodeIfPresent(nutName, forKey: .nutName)
        }
    }
}
