// SPDX-License-Identifier: MIT

package import WPCore
package import WPModel

/// One reading of all devices as a JSON document. Values that were not reported are omitted; units are part of the
/// names.
///
/// Later versions may add keys; none is renamed or removed while `version` stays the same.
package struct DeviceDocument: Encodable, Sendable {
    /// The document type.
    package let format = "winpower-exporter devices"
    /// The version of the schema.
    package let version = 1
    /// The address of the WinPower server.
    package var server: String
    /// When the document was created: RFC 3339, UTC.
    package var time: String
    /// Why the devices could not be read; the document then lists the last known ones.
    package var failure: Failure?
    /// The devices, in the server's order.
    package var devices: [Entry]

    /// Creates a document.
    /// - Parameters:
    ///   - server: the address of the WinPower server, without credentials.
    ///   - time: the current moment.
    ///   - readings: the devices.
    ///   - nutNames: their NUT names; nil if the NUT server is disabled.
    package init(server: String, time: TimePoint, readings: [DeviceReading], nutNames: [DeviceID: String]? = nil) {
        self.server = server
        self.time = RFC3339.string(time.wall)
        devices = readings.map { Entry($0, nutName: nutNames?[$0.device.id]) }
    }

    /// Why a reading failed.
    package struct Failure: Encodable, Sendable {
        /// The kind: the `reason` label of `winpower_exporter_scrape_errors_total`.
        package var reason: String
        /// What failed, and how to fix it.
        package var message: String
        /// When the first of the consecutive failures occurred.
        package var since: String
        /// The number of consecutive failures.
        package var count: Int
    }

    /// The energy of a device in watt-hours.
    package struct Energy: Encodable, Sendable {
        /// Since the start of the program that writes the document.
        package var sessionWattHours: Double
        /// The total that an exporter stores in the data directory.
        package var totalWattHours: Double?

        enum CodingKeys: String, CodingKey {
            case sessionWattHours = "session_watt_hours"
            case totalWattHours = "total_watt_hours"
        }
    }

    /// A device and its values.
    package struct Entry: Encodable, Sendable {
        private let snapshot: UPSSnapshot
        /// Its energy, if metered.
        package var energy: Energy?

        /// Its NUT name.
        private let nutName: String?

        init(_ reading: DeviceReading, nutName: String? = nil) {
            snapshot = UPSSnapshot(reading, total: nil)
            self.nutName = nutName
        }

        private enum Key: String, CodingKey {
            case energy
            case nutName = "nut_name"
        }

        /// Encodes the device and its energy at the same level.
        package func encode(to encoder: any Encoder) throws {
            try snapshot.encode(to: encoder)
            var keys = encoder.container(keyedBy: Key.self)
            try keys.encodeIfPresent(energy, forKey: .energy)
            try keys.encodeIfPresent(nutName, forKey: .nutName)
        }
    }
}
