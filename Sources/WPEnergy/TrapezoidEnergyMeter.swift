// SPDX-License-Identifier: MIT

public import WPLogging
public import WPModel

/// The energy meter: one ``EnergyAccumulator`` a device, saved as a whole after each batch of samples.
///
/// It remembers each device for ever, so that one which left and came back resumes its total: the memory and the
/// saved state grow with the number of devices ever seen, by a few hundred bytes each. One meter owns a store.
/// Records of other sources that it finds there are kept as they are.
public actor TrapezoidEnergyMeter: EnergyMeter {
    /// How a meter counts.
    public struct Configuration: Sendable, Hashable {
        /// The longest time between two samples that is integrated; more is a gap. Greater than zero.
        public var maxGap: Duration
        /// The server that the devices belong to: the first half of each record's key.
        public var source: SourceID
        /// Power above this many times a device's rating is not believed: it is not integrated but counted as a gap.
        /// Greater than 0; nil believes everything. Without effect on a device whose rating is not known.
        public var plausibilityMargin: Double?

        /// Creates a configuration.
        public init(
            maxGap: Duration = .seconds(60),
            source: SourceID = .only,
            plausibilityMargin: Double? = 1.5
        ) {
            self.maxGap = maxGap
            self.source = source
            self.plausibilityMargin = plausibilityMargin
        }
    }

    /// How many samples were not believed since this meter was created.
    public private(set) var implausibleSamples = 0

    private var configuration: Configuration
    private let store: any EnergyStore
    private let logger: Logger

    private var accumulators: [DeviceID: EnergyAccumulator] = [:]
    private var currentTotals: [DeviceID: EnergyTotal] = [:]
    /// The keys of `accumulators`, sorted, so that the saved order is stable and costs no sort a cycle.
    private var devices: [DeviceID] = []
    private let foreignRecords: [EnergyRecord]
    private var lastImplausibleWarning: [DeviceID: Duration] = [:]

    private var hasUnsavedChanges = false
    private var failedSaves = 0
    private var lastSave: Task<EnergyStoreError?, Never>?

    /// Creates a meter that goes on from what the store holds.
    /// - Parameters:
    ///   - configuration: how to count.
    ///   - store: where the totals live. The meter owns what is in it.
    ///   - logger: hears of readings that are not believed and of saves that fail, once each.
    /// - Throws: ``WPModel/EnergyStoreError`` when the store can't be read, or holds a record that no meter wrote.
    public init(
        configuration: Configuration = Configuration(),
        store: any EnergyStore,
        logger: Logger
    ) async throws {
        let records = try await store.load()
        var accumulators: [DeviceID: EnergyAccumulator] = [:]
        for record in records where record.key.source == configuration.source {
            if let defect = record.defect {
                throw Self.unusable(record.key, because: defect)
            }
            let known = accumulators.updateValue(EnergyAccumulator(resuming: record), forKey: record.key.device)
            if known != nil { throw Self.unusable(record.key, because: "there is more than one") }
        }
        self.configuration = configuration
        self.store = store
        self.logger = logger
        self.accumulators = accumulators
        currentTotals = accumulators.mapValues(\.total)
        devices = accumulators.keys.sorted()
        foreignRecords = records.filter { $0.key.source != configuration.source }
    }

    /// Adds the samples of one collection and saves the new totals with one call of the store.
    ///
    /// When nothing changed and nothing is left unsaved, the store is not called. A save that has begun goes on when
    /// the calling task is cancelled.
    /// - Parameter samples: at most one a device. A device that is left out keeps its total.
    /// - Returns: every known total, and what went wrong with saving, if anything.
    public func record(_ samples: [PowerSample]) async -> EnergyUpdate {
        let known = devices.count
        let implausibleBefore = implausibleSamples
        for sample in samples { add(sample) }
        if devices.count != known { devices.sort() }
        // Told before waiting for the store: another batch may come in meanwhile.
        let implausible = implausibleSamples - implausibleBefore
        let failure = await save()
        return EnergyUpdate(totals: currentTotals, saveFailure: failure, implausibleSamples: implausible)
    }

    /// Every known total, saved or not. Asking changes nothing.
    public func totals() async -> [DeviceID: EnergyTotal] { currentTotals }

    /// Saves what the last ``record(_:)`` could not.
    /// - Throws: ``WPModel/EnergyStoreError`` when there are unsaved totals and they still can't be saved.
    public func flush() async throws {
        if let failure = await save() { throw failure }
    }

    /// Changes how samples are judged, from the next ones on. Totals stay as they are.
    /// - Parameters:
    ///   - maxGap: see ``Configuration/maxGap``.
    ///   - plausibilityMargin: see ``Configuration/plausibilityMargin``.
    public func setLimits(maxGap: Duration, plausibilityMargin: Double?) {
        configuration.maxGap = maxGap
        configuration.plausibilityMargin = plausibilityMargin
    }

    private func add(_ sample: PowerSample) {
        let device = sample.device
        let limit = PlausibilityBound(margin: configuration.plausibilityMargin).limit(rating: sample.ratedVoltAmperes)
        let isBelieved = (sample.watts ?? 0) <= (limit ?? .infinity)
        var accumulator = accumulators[device] ?? EnergyAccumulator()
        let outcome = accumulator.add(
            watts: isBelieved ? sample.watts : nil,
            at: sample.time,
            maxGap: configuration.maxGap
        )
        guard outcome != .ignored else { return }
        if accumulators.updateValue(accumulator, forKey: device) == nil { devices.append(device) }
        currentTotals[device] = accumulator.total
        hasUnsavedChanges = true
        if !isBelieved, let watts = sample.watts, let limit { noteImplausible(sample, watts: watts, limit: limit) }
    }

    private func noteImplausible(_ sample: PowerSample, watts: Double, limit: Double) {
        implausibleSamples += 1
        let now = sample.time.monotonic
        if let warned = lastImplausibleWarning[sample.device], now - warned < .seconds(3600) { return }
        lastImplausibleWarning[sample.device] = now
        logger.warn(
            "A power reading is beyond what the device can carry and was not counted",
            [
                "device_id": .string(sample.device.rawValue),
                "watts": .double(watts),
                "limit_watts": .double(limit),
            ]
        )
    }

    /// Saves the newest state after any save that is still under way, so that an older state never overwrites it.
    private func save() async -> EnergyStoreError? {
        let earlier = lastSave
        let task = Task {
            _ = await earlier?.value
            return await self.saveNow()
        }
        lastSave = task
        return await task.value
    }

    private func saveNow() async -> EnergyStoreError? {
        guard hasUnsavedChanges else { return nil }
        hasUnsavedChanges = false
        do {
            try await store.save(records)
        } catch {
            hasUnsavedChanges = true
            let failure =
                error as? EnergyStoreError
                ?? EnergyStoreError(code: .io, message: "The energy totals could not be saved: \(error)")
            failedSaves += 1
            if failedSaves == 1 {
                logger.error(
                    "Energy totals could not be saved; they go on in memory and are saved when it works again",
                    ["code": .string(failure.code.rawValue), "error": .string(failure.message)]
                )
            }
            return failure
        }
        if failedSaves > 0 {
            logger.info("Energy totals are saved again", ["failed_saves": .int(failedSaves)])
            failedSaves = 0
        }
        return nil
    }

    private var records: [EnergyRecord] {
        var records = foreignRecords
        records.reserveCapacity(records.count + devices.count)
        for device in devices {
            let key = EnergyKey(source: configuration.source, device: device)
            if let accumulator = accumulators[device] { records.append(accumulator.record(for: key)) }
        }
        return records
    }

    private static func unusable(_ key: EnergyKey, because defect: String) -> EnergyStoreError {
        EnergyStoreError(
            code: .damaged,
            message: "The saved energy record of device \"\(key.device)\" can't be used because \(defect). "
                + "Restore the data directory from a backup."
        )
    }
}
