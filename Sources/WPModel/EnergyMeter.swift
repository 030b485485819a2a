// SPDX-License-Identifier: MIT

/// Turns power samples into energy totals that outlive the process. The port between the collector and the sums.
public protocol EnergyMeter: Sendable {
    /// Adds the samples of one collection and saves the new totals, with one durable write for all of them.
    ///
    /// When saving fails the totals in memory are kept, go on growing, and are saved at the next call that can.
    /// - Parameter samples: at most one a device. A device that is left out keeps its total.
    /// - Returns: every known total, and what went wrong with saving, if anything.
    func record(_ samples: [PowerSample]) async -> EnergyUpdate

    /// Every known total, saved or not.
    func totals() async -> [DeviceID: EnergyTotal]

    /// Saves what the last ``record(_:)`` could not. Called once when the program ends.
    /// - Throws: ``EnergyStoreError`` when there are unsaved totals and they still can't be saved.
    func flush() async throws
}

/// The power of one device at one moment.
public struct PowerSample: Hashable, Sendable {
    /// The device.
    public var device: DeviceID
    /// When the power was read.
    public var time: TimePoint
    /// Active power in watts; nil when the device did not report a valid one or is out of reach.
    public var watts: Double?
    /// The device's rated apparent power in volt-amperes, if known: what a plausible reading cannot far exceed.
    public var ratedVoltAmperes: Double?

    /// Creates a sample.
    public init(device: DeviceID, time: TimePoint, watts: Double?, ratedVoltAmperes: Double? = nil) {
        self.device = device
        self.time = time
        self.watts = watts
        self.ratedVoltAmperes = ratedVoltAmperes
    }
}

/// The energy that a device's load has drawn, and the time that the figure covers.
public struct EnergyTotal: Hashable, Sendable {
    /// Energy in joules (watt-seconds), never rounded.
    public var joules: Double
    /// Time in seconds over which power was integrated.
    public var meteredSeconds: Double
    /// Time in seconds between samples over which it could not be, and to which no energy was booked.
    public var gapSeconds: Double

    /// Creates a total.
    public init(joules: Double = 0, meteredSeconds: Double = 0, gapSeconds: Double = 0) {
        self.joules = joules
        self.meteredSeconds = meteredSeconds
        self.gapSeconds = gapSeconds
    }

    /// Energy in watt-hours.
    public var wattHours: Double { joules / 3600 }
}

/// What one call of ``EnergyMeter/record(_:)`` came to.
public struct EnergyUpdate: Sendable {
    /// Every known total, after the call.
    public var totals: [DeviceID: EnergyTotal]
    /// Why the totals could not be saved; nil when they were.
    public var saveFailure: EnergyStoreError?
    /// How many of the samples had a power beyond what their device can carry and were counted as gaps.
    public var implausibleSamples: Int

    /// Creates an update.
    public init(
        totals: [DeviceID: EnergyTotal],
        saveFailure: EnergyStoreError? = nil,
        implausibleSamples: Int = 0
    ) {
        self.totals = totals
        self.saveFailure = saveFailure
        self.implausibleSamples = implausibleSamples
    }
}
