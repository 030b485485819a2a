// SPDX-License-Identifier: MIT

package import WPCore
package import WPModel

/// The state of a watch at one moment.
package struct WatchState: Sendable {
    /// The address of the WinPower server.
    package var server: String
    /// The interval between readings.
    package var interval: Duration
    /// When the watch began.
    package var start: TimePoint
    /// The number of completed readings, including failed ones.
    package var count = 0
    /// The devices of the last successful reading, in the server's order.
    package var readings: [DeviceReading] = []
    /// When the last successful reading ended; nil before the first.
    package var lastSuccess: TimePoint?
    /// Why the last reading failed; nil after a success.
    package var failure: FailureRun?
    /// The energy since the watch began.
    package var session: [DeviceID: EnergyTotal] = [:]
    /// The totals in the exporter's data directory.
    package var stored = StoredTotals.none

    /// Creates the initial state of a watch.
    package init(server: String, interval: Duration, start: TimePoint) {
        self.server = server
        self.interval = interval
        self.start = start
    }

    /// The energy totals stored by an exporter.
    package enum StoredTotals: Sendable, Hashable {
        /// There are none.
        case none
        /// The totals and their directory.
        case totals([DeviceID: EnergyTotal], directory: String)
        /// They cannot be read, for this reason.
        case unreadable(String)

        /// The total of a device, in watt-hours.
        func wattHours(of device: DeviceID) -> Double? {
            guard case .totals(let totals, _) = self else { return nil }
            return totals[device]?.wattHours
        }
    }

    /// The devices as a document, with their energy.
    package func document(at now: TimePoint) -> DeviceDocument {
        var document = DeviceDocument(server: server, time: now, readings: readings)
        for (index, reading) in readings.enumerated() {
            document.devices[index].energy = DeviceDocument.Energy(
                sessionWattHours: session[reading.device.id]?.wattHours ?? 0,
                totalWattHours: stored.wattHours(of: reading.device.id)
            )
        }
        document.failure = failure.map(DeviceDocument.Failure.init)
        return document
    }
}
