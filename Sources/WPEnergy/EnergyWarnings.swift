// SPDX-License-Identifier: MIT

import WPCore
import WPLogging
import WPModel

/// Logs problems with samples, at a limited rate.
struct EnergyWarnings {
    /// An implausible power.
    struct Implausible {
        var sample: PowerSample
        var watts: Double
        var limit: Double
    }

    /// The problems of one batch of samples.
    struct Batch {
        var implausible: [Implausible] = []
        /// The number of devices with unverified time.
        var unverifiedDevices = 0
        /// The number of devices that are not metered because the limit is reached.
        var unmeteredDevices = 0
        /// The longest unverified time of a device, in seconds.
        var longestUnverified = 0.0
        /// The monotonic time of the latest sample.
        var time = Duration.zero

        var isEmpty: Bool { implausible.isEmpty && unverifiedDevices == 0 && unmeteredDevices == 0 }

        mutating func addUnverified(_ seconds: Double, at time: Duration) {
            unverifiedDevices += 1
            longestUnverified = max(longestUnverified, seconds)
            self.time = time
        }
    }

    private static let interval = Duration.seconds(3600)
    private var lastImplausible: [DeviceID: Duration] = [:]
    private var lastUnverified: Duration?
    private var lastUnmetered: Duration?
    /// The maximum number of devices whose last line is tracked; lines about others are not logged.
    private static let maximumDevices = 1000

    /// Logs one line per device and hour for implausible power, and one per hour for the clocks.
    mutating func log(_ batch: Batch, to logger: Logger) {
        if let now = batch.implausible.first?.sample.time.monotonic, lastImplausible.count >= Self.maximumDevices {
            lastImplausible = lastImplausible.filter { now - $0.value < Self.interval }
        }
        for reading in batch.implausible {
            let (device, now) = (reading.sample.device, reading.sample.time.monotonic)
            if let last = lastImplausible[device], now - last < Self.interval { continue }
            guard lastImplausible[device] != nil || lastImplausible.count < Self.maximumDevices else { continue }
            lastImplausible[device] = now
            logger.warn(
                "A power reading exceeds the device's capacity and was not counted",
                [
                    "device_id": .string(device.rawValue), "watts": .double(reading.watts),
                    "limit_watts": .double(reading.limit),
                ]
            )
        }
        logUnmetered(batch, to: logger)
        guard batch.unverifiedDevices > 0 else { return }
        if let last = lastUnverified, batch.time - last < Self.interval { return }
        lastUnverified = batch.time
        logger.warn(
            "The clocks cannot confirm a period, or a gap is longer than 30 days; it is counted as unverified",
            ["devices": .int(batch.unverifiedDevices), "longest_s": .double(batch.longestUnverified.rounded())]
        )
    }

    private mutating func logUnmetered(_ batch: Batch, to logger: Logger) {
        guard batch.unmeteredDevices > 0 else { return }
        if let last = lastUnmetered, batch.time - last < Self.interval { return }
        lastUnmetered = batch.time
        logger.warn(
            "More devices than can be metered; the energy of further ones is not counted until `energy remove` makes room",
            ["devices": .int(batch.unmeteredDevices)]
        )
    }
}
