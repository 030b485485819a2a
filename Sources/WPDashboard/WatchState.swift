// SPDX-License-Identifier: MIT

package import WPModel

/// What is known at one moment of a fleet that is watched.
package struct WatchState: Sendable {
    /// The address of the WinPower server.
    package var server: String
    /// The time between two readings.
    package var interval: Duration
    /// When the watch began.
    package var start: TimePoint
    /// How many readings have ended, the failed ones included.
    package var count = 0
    /// The devices of the last good reading, in the server's order.
    package var readings: [DeviceReading] = []
    /// When the last good reading ended; nil before the first.
    package var lastSuccess: TimePoint?
    /// Why the last reading failed; nil after a good one.
    package var failure: FailureRun?
    /// The energy since the watch began.
    package var session: [DeviceID: EnergyTotal] = [:]
    /// What the exporter's data directory holds.
    package var stored = StoredTotals.none

    /// Creates the state of a watch that begins.
    package init(server: String, interval: Duration, start: TimePoint) {
        self.server = server
        self.interval = interval
        self.start = start
    }

    /// The energy totals that an exporter keeps.
    package enum StoredTotals: Sendable, Hashable {
        /// There are none.
        case none
        /// The totals, and the directory they are in.
        case totals([DeviceID: EnergyTotal], directory: String)
        /// They can't be read, and why.
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
