// SPDX-License-Identifier: MIT

public import WPCore
public import WPLogging
public import WPModel

/// The energy meter: one ``EnergyAccumulator`` per device, saved as a whole after each batch of samples.
///
/// Saves run in the background, one at a time with the newest state, so that a hanging disk stops neither metering nor
/// the caller. ``totals()`` and ``record(_:)`` return the last saved totals, which a crash cannot revert.
///
/// Every metered device is kept, so that one that returns resumes its total: a few hundred bytes each, up to
/// `Configuration.maxDevices`. Only a limited number of absent devices without energy are kept. A meter owns its store,
/// and keeps records of other sources unchanged.
public actor TrapezoidEnergyMeter: EnergyMeter {
    /// The configuration of a meter.
    public struct Configuration: Sendable, Hashable {
        /// The maximum time between two integrated samples; more is a gap. Greater than zero.
        public var maxGap: Duration
        /// The server of the devices: the first half of each record's key.
        public var source: SourceID
        /// Power above this multiple of a device's rating is an invalid sample. Greater than 0; nil accepts everything.
        /// Has no effect without a known rating.
        public var plausibilityMargin: Double?
        /// How long ``TrapezoidEnergyMeter/record(_:)`` waits for a save.
        public var saveTimeout: Duration
        /// The maximum number of metered devices, including absent ones. Default 100,000, the limit of the WinPower
        /// client.
        package var maxDevices = 100_000
        /// The maximum number of devices without energy that are kept besides those of the last collection.
        package var maxUnmeteredAbsentDevices = 1000

        /// Creates a configuration.
        public init(
            maxGap: Duration = .seconds(60),
            source: SourceID = .only,
            plausibilityMargin: Double? = 1.5,
            saveTimeout: Duration = .seconds(1)
        ) {
            self.maxGap = maxGap
            self.source = source
            self.plausibilityMargin = plausibilityMargin
            self.saveTimeout = saveTimeout
        }
    }

    /// The state of one device.
    private struct Entry {
        var accumulator: EnergyAccumulator
        var name: String?
        var typeCode: Int?

        /// Updates the state from a sample.
        /// - Returns: whether it changed.
        mutating func relabel(_ sample: PowerSample) -> Bool {
            let (oldName, oldType) = (name, typeCode)
            name = sample.name ?? name
            typeCode = sample.typeCode ?? typeCode
            return name != oldName || typeCode != oldType
        }
    }

    private var configuration: Configuration
    private let saver: EnergySaver
    private let logger: Logger

    private var entries: [DeviceID: Entry] = [:]
    private let foreignRecords: [EnergyRecord]
    private var warnings = EnergyWarnings()
    /// The version of the state to save.
    private var version = 0

    /// Creates a meter that resumes from a store.
    /// - Parameters:
    ///   - configuration: the configuration.
    ///   - store: the store of the totals, owned by the meter.
    ///   - timeSource: the clock of the save timeout.
    ///   - logger: logs implausible power, clock differences and failed saves, at a limited rate.
    /// - Throws: ``WPModel/EnergyStoreError`` if the store cannot be read, or contains an invalid record.
    public init(
        configuration: Configuration = Configuration(),
        store: any EnergyStore,
        timeSource: any TimeSource = .system,
        logger: Logger
    ) async throws {
        let records = try await store.load()
        var entries: [DeviceID: Entry] = [:]
        for record in records where record.key.source == configuration.source {
            if let defect = record.defect {
                throw Self.unusable(record.key, because: defect)
            }
            let entry = Entry(
                accumulator: EnergyAccumulator(resuming: record),
                name: record.name,
                typeCode: record.typeCode
            )
            let known = entries.updateValue(entry, forKey: record.key.device)
            if known != nil { throw Self.unusable(record.key, because: "there is more than one") }
        }
        self.configuration = configuration
        self.logger = logger
        self.entries = entries
        let totals = entries.mapValues(\.accumulator.total)
        saver = EnergySaver(store: store, totals: totals, timeSource: timeSource, logger: logger)
        foreignRecords = records.filter { $0.key.source != configuration.source }
    }

    /// Adds the samples of one collection and saves the new totals in one call of the store.
    ///
    /// Does not call the store if nothing changed. Waits for the save up to ``Configuration/saveTimeout``; a slower
    /// save continues in the background, followed by the newest state. Cancelling the task does not stop a save.
    /// - Parameter samples: at most one per device. A missing device keeps its total.
    /// - Returns: the last saved totals, and the result of saving.
    public func record(_ samples: [PowerSample]) async -> EnergyUpdate {
        let known = entries.count
        var batch = EnergyWarnings.Batch()
        for sample in samples { add(sample, &batch) }
        if entries.count != known { forgetUnmetered(besides: samples) }
        if !batch.isEmpty { warnings.log(batch, to: logger) }
        let result = await saver.save(state, timeout: configuration.saveTimeout)
        return EnergyUpdate(
            totals: result.totals,
            saveFailure: result.failure,
            isSaved: result.isSaved,
            implausibleSamples: batch.implausible.count
        )
    }

    /// All last saved totals. Never waits for the store.
    public func totals() async -> [DeviceID: EnergyTotal] { saver.totals }

    /// Saves the totals that the last ``record(_:)`` could not save. Waits without a timeout.
    /// - Throws: ``WPModel/EnergyStoreError`` if unsaved totals still cannot be saved.
    public func flush() async throws {
        if let failure = await saver.save(state, timeout: nil).failure { throw failure }
    }

    /// Changes the limits for later samples. Totals do not change.
    /// - Parameters:
    ///   - maxGap: see ``Configuration/maxGap``.
    ///   - plausibilityMargin: see ``Configuration/plausibilityMargin``.
    public func setLimits(maxGap: Duration, plausibilityMargin: Double?) {
        configuration.maxGap = maxGap
        configuration.plausibilityMargin = plausibilityMargin
    }

    private func add(_ sample: PowerSample, _ batch: inout EnergyWarnings.Batch) {
        let device = sample.device
        guard entries[device] != nil || entries.count < configuration.maxDevices else {
            batch.unmeteredDevices += 1
            batch.time = sample.time.monotonic
            return
        }
        let limit = plausibilityLimit(rating: sample.ratedVoltAmperes)
        let isPlausible = (sample.watts ?? 0) <= (limit ?? .infinity)
        var entry = entries[device] ?? Entry(accumulator: EnergyAccumulator())
        let unverified = entry.accumulator.total.unverifiedSeconds
        let outcome = entry.accumulator.add(
            watts: isPlausible ? sample.watts : nil,
            at: sample.time,
            maxGap: configuration.maxGap
        )
        guard outcome != .ignored else { return }
        if !isPlausible, let watts = sample.watts, let limit {
            batch.implausible.append(.init(sample: sample, watts: watts, limit: limit))
        }
        let isRelabelled = entry.relabel(sample)
        guard outcome != .pending || isRelabelled else { return }
        let total = entry.accumulator.total
        if total.unverifiedSeconds > unverified {
            batch.addUnverified(total.unverifiedSeconds - unverified, at: sample.time.monotonic)
        }
        entries[device] = entry
        version += 1
    }

    /// The maximum plausible power in watts: active power never exceeds apparent power, and the margin allows for
    /// overload and inaccuracy.
    /// - Parameter rating: the rated apparent power in volt-amperes. A value that is not finite or not positive is
    ///   unknown.
    /// - Returns: nil if the margin is nil or the rating is unknown.
    private func plausibilityLimit(rating: Double?) -> Double? {
        guard let margin = configuration.plausibilityMargin, margin > 0, let rating, rating > 0, rating.isFinite else {
            return nil
        }
        return rating * margin
    }

    /// The state to save, with records in a stable order.
    private var state: EnergySaver.State {
        let records = entries.sorted { $0.key < $1.key }.map { device, entry in
            var record = entry.accumulator.record(for: EnergyKey(source: configuration.source, device: device))
            record.name = entry.name
            record.typeCode = entry.typeCode
            return record
        }
        return EnergySaver.State(
            version: version,
            records: foreignRecords + records,
            totals: entries.mapValues(\.accumulator.total)
        )
    }

    /// Drops absent devices without energy once there are many: a server that sends random identifiers must not fill
    /// memory and disk.
    private func forgetUnmetered(besides samples: [PowerSample]) {
        guard entries.count > samples.count + configuration.maxUnmeteredAbsentDevices else { return }
        let present = Set(samples.map(\.device))
        let forgotten = entries.filter { device, entry in
            let total = entry.accumulator.total
            return !present.contains(device) && total.joules == 0 && total.meteredSeconds == 0
        }
        guard forgotten.count > configuration.maxUnmeteredAbsentDevices else { return }
        for device in forgotten.keys { entries[device] = nil }
        version += 1
        logger.info(
            "Devices that left before anything was metered were forgotten",
            ["devices": .int(forgotten.count), "remembered": .int(entries.count)]
        )
    }

    private static func unusable(_ key: EnergyKey, because defect: String) -> EnergyStoreError {
        EnergyStoreError(
            code: .damaged,
            message: "The saved energy record of device \"\(key.device)\" cannot be used because \(defect).",
            hint: .restoreBackup
        )
    }
}
