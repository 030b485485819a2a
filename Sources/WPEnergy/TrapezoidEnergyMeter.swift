// SPDX-License-Identifier: MIT

public import WPLogging
public import WPModel

/// The energy meter: one ``EnergyAccumulator`` per device, saved as a whole after each batch of samples.
///
/// Saves run aside, one at a time and each with the newest state, so that a disk which hangs stops neither
/// metering nor the caller. ``totals()`` and what ``record(_:)`` returns are the totals as they were saved last: one that a
/// crash can take back is not shown.
///
/// It remembers each device that it has metered, so that one which left and came back resumes its total: the memory and the
/// saved state grow with their number, by a few hundred bytes each, up to `Configuration.maxDevices`. Devices that left
/// before anything was metered are remembered in a small number only. One meter owns a store.
/// Records of other sources that it finds there are kept as they are.
public actor TrapezoidEnergyMeter: EnergyMeter {
    /// How a meter counts.
    public struct Configuration: Sendable, Hashable {
        /// The longest time between two samples that is integrated; more is a gap. Greater than zero.
        public var maxGap: Duration
        /// The server that the devices belong to: the first half of each record's key.
        public var source: SourceID
        /// Power above this many times a device's rating is not believed: it counts as an invalid sample. Greater
        /// than 0; nil believes everything. Without effect on a device whose rating is not known.
        public var plausibilityMargin: Double?
        /// How long ``TrapezoidEnergyMeter/record(_:)`` waits for a save before it returns without it.
        public var saveTimeout: Duration
        /// The most devices that are metered, those that left included; a further one is not metered. Default 100,000, which is
        /// also the most devices that the WinPower client reads.
        package var maxDevices = 100_000
        /// The most devices without metered energy that are remembered besides those of the last collection.
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

    /// What is known of one device.
    private struct Entry {
        var accumulator: EnergyAccumulator
        var name: String?
        var typeCode: Int?

        /// Takes what a sample says about its device.
        /// - Returns: whether that is something new.
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
    private var currentTotals: [DeviceID: EnergyTotal] = [:]
    /// The keys of `entries`, sorted, so that the saved order is stable and costs no sort per cycle.
    private var devices: [DeviceID] = []
    private let foreignRecords: [EnergyRecord]
    private var warnings = EnergyWarnings()
    /// Counts the changes of what is to be saved.
    private var version = 0

    /// Creates a meter that resumes from what the store holds.
    /// - Parameters:
    ///   - configuration: how to count.
    ///   - store: where the totals live. The meter owns what is in it.
    ///   - clock: on which a save times out.
    ///   - logger: gets readings that are not believed, clocks that disagree, and saves that fail, once each.
    /// - Throws: ``WPModel/EnergyStoreError`` when the store can't be read, or holds a record that no meter wrote.
    public init(
        configuration: Configuration = Configuration(),
        store: any EnergyStore,
        clock: any Clock<Duration> = ContinuousClock(),
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
        currentTotals = entries.mapValues(\.accumulator.total)
        saver = EnergySaver(store: store, totals: currentTotals, clock: clock, logger: logger)
        devices = entries.keys.sorted()
        foreignRecords = records.filter { $0.key.source != configuration.source }
    }

    /// Adds the samples of one collection and saves the new totals with one call of the store.
    ///
    /// When nothing changed and nothing is left unsaved, the store is not called. It waits for the save, but no longer
    /// than ``Configuration/saveTimeout``, and not at all for one that took longer already; such a save continues, and
    /// the newest state is saved after it. A save that has begun also continues when the calling task is cancelled.
    /// - Parameter samples: at most one per device. A device that is left out keeps its total.
    /// - Returns: every total as it was saved last, and how saving went.
    public func record(_ samples: [PowerSample]) async -> EnergyUpdate {
        let known = devices.count
        var batch = EnergyWarnings.Batch()
        for sample in samples { add(sample, &batch) }
        if devices.count != known {
            devices.sort()
            forgetUnmetered(besides: samples)
        }
        if !batch.isEmpty { warnings.log(batch, to: logger) }
        let result = await saver.save(state, timeout: configuration.saveTimeout)
        return EnergyUpdate(
            totals: result.totals,
            saveFailure: result.failure,
            isSaved: result.isSaved,
            implausibleSamples: batch.implausible.count
        )
    }

    /// Every known total as it was saved last. Asking changes nothing and never waits for the store.
    public func totals() async -> [DeviceID: EnergyTotal] { saver.totals }

    /// Saves what the last ``record(_:)`` could not. It waits as long as the store takes.
    /// - Throws: ``WPModel/EnergyStoreError`` when there are unsaved totals and they still can't be saved.
    public func flush() async throws {
        if let failure = await saver.save(state, timeout: nil).failure { throw failure }
    }

    /// Changes how samples are judged, from the next ones on. Totals stay as they are.
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
        let limit = PlausibilityBound(margin: configuration.plausibilityMargin).limit(rating: sample.ratedVoltAmperes)
        let isBelieved = (sample.watts ?? 0) <= (limit ?? .infinity)
        var entry = entries[device] ?? Entry(accumulator: EnergyAccumulator())
        let unverified = entry.accumulator.total.unverifiedSeconds
        let outcome = entry.accumulator.add(
            watts: isBelieved ? sample.watts : nil,
            at: sample.time,
            maxGap: configuration.maxGap
        )
        guard outcome != .ignored else { return }
        if !isBelieved, let watts = sample.watts, let limit {
            batch.implausible.append(.init(sample: sample, watts: watts, limit: limit))
        }
        let isRelabelled = entry.relabel(sample)
        guard outcome != .pending || isRelabelled else { return }
        let total = entry.accumulator.total
        if total.unverifiedSeconds > unverified {
            batch.addUnverified(total.unverifiedSeconds - unverified, at: sample.time.monotonic)
        }
        if entries.updateValue(entry, forKey: device) == nil { devices.append(device) }
        currentTotals[device] = total
        version += 1
    }

    /// What is to be saved now.
    private var state: EnergySaver.State {
        EnergySaver.State(version: version, records: records, totals: currentTotals)
    }

    /// Forgets devices that left the list before anything was metered, once they are many: a server that makes up identifiers
    /// must not fill memory and disk.
    private func forgetUnmetered(besides samples: [PowerSample]) {
        guard devices.count > samples.count + configuration.maxUnmeteredAbsentDevices else { return }
        let present = Set(samples.map(\.device))
        let forgotten = devices.filter { device in
            guard !present.contains(device), let total = currentTotals[device] else { return false }
            return total.joules == 0 && total.meteredSeconds == 0
        }
        guard forgotten.count > configuration.maxUnmeteredAbsentDevices else { return }
        for device in forgotten {
            entries[device] = nil
            currentTotals[device] = nil
        }
        devices.removeAll { entries[$0] == nil }
        version += 1
        logger.info(
            "Devices that left before anything was metered were forgotten",
            ["devices": .int(forgotten.count), "remembered": .int(devices.count)]
        )
    }

    private var records: [EnergyRecord] {
        var records = foreignRecords
        records.reserveCapacity(records.count + devices.count)
        for device in devices {
            guard let entry = entries[device] else { continue }
            var record = entry.accumulator.record(for: EnergyKey(source: configuration.source, device: device))
            record.name = entry.name
            record.typeCode = entry.typeCode
            records.append(record)
        }
        return records
    }

    private static func unusable(_ key: EnergyKey, because defect: String) -> EnergyStoreError {
        EnergyStoreError(
            code: .damaged,
            message: "The saved energy record of device \"\(key.device)\" can't be used because \(defect).",
            hint: .restoreBackup
        )
    }
}
