// SPDX-License-Identifier: MIT

public import WPCore

/// Integrates power samples into energy totals that survive restarts. The port between the collector and energy
/// metering.
public protocol EnergyMeter: Sendable {
    /// Adds the samples of one collection and saves the new totals in one durable write.
    ///
    /// If saving fails or hangs, integration continues in memory and saving is retried. Unsaved totals are not
    /// published: losing them in a crash would look like a counter reset.
    /// - Parameter samples: at most one per device. A device without a sample keeps its total.
    /// - Returns: the last saved totals, and the result of saving.
    func record(_ samples: [PowerSample]) async -> EnergyUpdate

    /// The last saved totals.
    func totals() async -> [DeviceID: EnergyTotal]

    /// Saves the totals that the last ``record(_:)`` could not save. Called once at shutdown.
    /// - Throws: ``EnergyStoreError`` if there are unsaved totals and saving fails again.
    func flush() async throws
}

/// The power of one device at one moment.
public struct PowerSample: Hashable, Sendable {
    /// The device.
    public var device: DeviceID
    /// When the power was measured.
    public var time: TimePoint
    /// Active power in watts; nil if the device reported no valid value or is unreachable.
    public var watts: Double?
    /// The device's rated apparent power in volt-amperes, if known: the basis of the plausibility limit.
    public var ratedVoltAmperes: Double?
    /// The device's name, stored with its total; nil keeps the stored name.
    public var name: String?
    /// The vendor's device type code, stored with its total; nil keeps the stored code.
    public var typeCode: Int?

    /// Creates a sample.
    public init(
        device: DeviceID,
        time: TimePoint,
        watts: Double?,
        ratedVoltAmperes: Double? = nil,
        name: String? = nil,
        typeCode: Int? = nil
    ) {
        self.device = device
        self.time = time
        self.watts = watts
        self.ratedVoltAmperes = ratedVoltAmperes
        self.name = name
        self.typeCode = typeCode
    }
}

/// The energy that a device's load consumed, and the time it covers.
public struct EnergyTotal: Hashable, Sendable {
    /// Energy in joules (watt-seconds), not rounded.
    public var joules: Double
    /// Time in seconds over which power was integrated.
    public var meteredSeconds: Double
    /// Seconds between samples that were not integrated and contribute no energy.
    public var gapSeconds: Double
    /// Seconds that the clocks cannot confirm, not included in the other two: the wall clock jumped or stepped back
    /// across a restart, or the gap exceeds 30 days.
    public var unverifiedSeconds: Double

    /// Creates a total.
    public init(
        joules: Double = 0,
        meteredSeconds: Double = 0,
        gapSeconds: Double = 0,
        unverifiedSeconds: Double = 0
    ) {
        self.joules = joules
        self.meteredSeconds = meteredSeconds
        self.gapSeconds = gapSeconds
        self.unverifiedSeconds = unverifiedSeconds
    }

    /// Energy in watt-hours.
    public var wattHours: Double { joules / 3600 }
}

/// The result of ``EnergyMeter/record(_:)``.
public struct EnergyUpdate: Sendable {
    /// The last saved totals of all known devices; unsaved changes are not included.
    public var totals: [DeviceID: EnergyTotal]
    /// Why saving failed; nil if it succeeded or is still in progress.
    public var saveFailure: EnergyStoreError?
    /// Whether everything recorded is saved. false after a failure, and while a save exceeds the meter's time limit.
    public var isSaved: Bool
    /// The number of samples ignored because their power exceeds what the device can supply.
    public var implausibleSamples: Int

    /// Creates an update.
    /// - Parameters:
    ///   - totals: the last saved totals.
    ///   - saveFailure: why saving failed; nil if it did not.
    ///   - isSaved: whether everything is saved; if nil, whether `saveFailure` is nil.
    ///   - implausibleSamples: the number of samples ignored because their power exceeds what the device can supply.
    public init(
        totals: [DeviceID: EnergyTotal],
        saveFailure: EnergyStoreError? = nil,
        isSaved: Bool? = nil,
        implausibleSamples: Int = 0
    ) {
        self.totals = totals
        self.saveFailure = saveFailure
        self.isSaved = isSaved ?? (saveFailure == nil)
        self.implausibleSamples = implausibleSamples
    }
}
