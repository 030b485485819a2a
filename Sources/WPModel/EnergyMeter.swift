// SPDX-License-Identifier: MIT

/// Turns power samples into energy totals that outlive the process. The port between the collector and the sums.
public protocol EnergyMeter: Sendable {
    /// Adds the samples of one collection and saves the new totals, with one durable write for all of them.
    ///
    /// When saving fails or hangs, the sums continue in memory and are saved as soon as that works again. What could
    /// not be saved is not shown: a total that a crash can take back would look like a counter that was reset.
    /// - Parameter samples: at most one per device. A device that is left out keeps its total.
    /// - Returns: every total as it was saved last, and how saving went.
    func record(_ samples: [PowerSample]) async -> EnergyUpdate

    /// Every total as it was saved last.
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
    /// The device's name, to be remembered with its total; nil keeps the one that is remembered.
    public var name: String?
    /// The vendor's code of the device's type, to be remembered with its total; nil keeps the one that is remembered.
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

/// The energy that a device's load has drawn, and the time that the figure covers.
public struct EnergyTotal: Hashable, Sendable {
    /// Energy in joules (watt-seconds), never rounded.
    public var joules: Double
    /// Time in seconds over which power was integrated.
    public var meteredSeconds: Double
    /// Time in seconds between samples over which it could not be, and to which no energy was booked.
    public var gapSeconds: Double
    /// Time in seconds that the clocks leave in doubt, which is in neither of the other two: the wall clock jumped
    /// although the monotonic clock saw no such time pass, went back across a restart, or claims a gap of over 30 days.
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

/// What one call of ``EnergyMeter/record(_:)`` came to.
public struct EnergyUpdate: Sendable {
    /// Every known total as it was saved last: without what is not saved yet.
    public var totals: [DeviceID: EnergyTotal]
    /// Why the totals could not be saved; nil when they were, and while a save is under way.
    public var saveFailure: EnergyStoreError?
    /// Whether everything that was recorded is saved. false after a failure, and while a save takes longer than the
    /// meter waits for it.
    public var isSaved: Bool
    /// How many of the samples had a power beyond what their device can carry and were not counted.
    public var implausibleSamples: Int

    /// Creates an update.
    /// - Parameters:
    ///   - totals: every known total as it was saved last.
    ///   - saveFailure: why the totals could not be saved; nil when they were.
    ///   - isSaved: whether everything is saved; nil for whether there is no failure.
    ///   - implausibleSamples: how many samples had a power beyond what their device can carry.
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
