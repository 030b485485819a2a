// SPDX-License-Identifier: MIT

import Synchronization
public import WPLogging
public import WPModel

/// Runs collection cycles: reads the devices, meters their energy, and publishes the result as one snapshot.
///
/// ``collect()`` is meant to be called by one scheduler and never twice at a time. ``snapshot`` may be read from
/// anywhere; it neither waits for a cycle nor reaches the server.
public final class Collector: Sendable {
    /// How one cycle ended.
    public enum Outcome: Sendable, Hashable {
        /// Everything was read and saved.
        case success
        /// Something failed; see the snapshot's failure.
        case failure(FailureReason)
        /// The task was cancelled before the devices were read. Nothing changed.
        case cancelled
    }

    private let source: any DeviceSource
    private let meter: any EnergyMeter
    private let timeSource: any TimeSource
    private let instruments: CollectionInstruments
    private let journal: CollectionJournal
    private let state: Mutex<CollectionSnapshot>

    /// Creates a collector.
    /// - Parameters:
    ///   - source: where readings come from.
    ///   - meter: what turns power into energy.
    ///   - timeSource: the clocks.
    ///   - instruments: what counts and times the cycles.
    ///   - saved: what the meter's store held at the start, so that energy is shown before the first good collection.
    ///   - logger: where changes of state are logged, each once.
    public init(
        source: any DeviceSource,
        meter: any EnergyMeter,
        timeSource: any TimeSource,
        instruments: CollectionInstruments,
        saved: [EnergyRecord] = [],
        logger: Logger
    ) {
        self.source = source
        self.meter = meter
        self.timeSource = timeSource
        self.instruments = instruments
        journal = CollectionJournal(logger: logger)
        state = Mutex(
            CollectionSnapshot(
                totals: Dictionary(saved.map { ($0.key.device, $0.total) }) { first, _ in first },
                remembered: saved.map { Device(id: $0.key.device, alias: $0.name ?? "", typeCode: $0.typeCode) }
            )
        )
    }

    /// What the last cycles came to.
    public var snapshot: CollectionSnapshot {
        state.withLock { $0 }
    }

    /// Runs one cycle. A failure is counted, logged when it is new, and part of the snapshot; it is never thrown.
    ///
    /// Whatever is logged in it carries the number of the cycle as the field `cycle`.
    @discardableResult
    public func collect() async -> Outcome {
        await LogContext.with(["cycle": .int(snapshot.generation + 1)]) { await runCycle() }
    }

    private func runCycle() async -> Outcome {
        let start = timeSource.now
        let before = snapshot
        var after = before
        var hasNewReadings = false
        after.generation += 1
        do {
            let readings = try await source.readDevices()
            let update = await meter.record(readings.map(Self.sample))
            instruments.samplesDisbelieved(update.implausibleSamples)
            hasNewReadings = true
            after.remembered = []
            after.lastChanges = Self.lastChanges(of: readings, before: before)
            after.readings = readings
            after.totals = update.totals
            after.lastSuccess = timeSource.now
            if update.isSaved { after.lastSave = after.lastSuccess }
            after.unsavedSince = update.isSaved ? nil : before.unsavedSince ?? after.lastSuccess
            after.reachedServer = true
            after.wasAuthenticated = true
            after.failure = update.saveFailure.map { failure(.storage, $0.message, after: before) }
        } catch is CancellationError {
            return .cancelled
        } catch let error as DeviceSourceError {
            // A source that pauses contacts nobody, so nothing is known of the server.
            after.reachedServer = error.reachedServer
            after.wasAuthenticated = error.wasAuthenticated
            after.failure = failure(error.reason, error.message, after: before)
        } catch {
            after.reachedServer = false
            after.wasAuthenticated = false
            after.failure = failure(.internal, "reading the devices failed: \(error)", after: before)
        }
        let end = timeSource.now
        after.lastEnd = end
        let duration = end.since(start)
        instruments.cycleEnded(duration: duration, failure: after.failure?.reason)
        let published = after
        state.withLock { $0 = published }
        journal.record(
            before: before,
            after: after,
            hasNewReadings: hasNewReadings,
            duration: duration,
            now: end
        )
        return after.failure.map { .failure($0.reason) } ?? .success
    }

    /// When each of the readings last said something new. Its time is not counted as such.
    private static func lastChanges(
        of readings: [DeviceReading],
        before: CollectionSnapshot
    ) -> [DeviceID: TimePoint] {
        var changes: [DeviceID: TimePoint] = [:]
        changes.reserveCapacity(readings.count)
        // A fleet is listed in the same order each time, as a rule; only then is no look-up needed.
        lazy var old = Dictionary(before.readings.map { ($0.device.id, $0) }) { first, _ in first }
        for (index, reading) in readings.enumerated() {
            let id = reading.device.id
            let isInPlace = index < before.readings.count && before.readings[index].device.id == id
            guard var earlier = isInPlace ? before.readings[index] : old[id], let since = before.lastChanges[id] else {
                changes[id] = reading.time
                continue
            }
            earlier.time = reading.time
            changes[id] = earlier == reading ? since : reading.time
        }
        return changes
    }

    private func failure(
        _ reason: FailureReason,
        _ message: String,
        after before: CollectionSnapshot
    ) -> FailureRun {
        FailureRun(
            reason: reason,
            message: message,
            since: before.failure?.since ?? timeSource.now,
            count: (before.failure?.count ?? 0) + 1
        )
    }

    /// The power of a device that is out of reach is unknown, whatever value the server still shows for it.
    private static func sample(_ reading: DeviceReading) -> PowerSample {
        PowerSample(
            device: reading.device.id,
            time: reading.time,
            watts: reading.isConnected == false ? nil : reading.load.watts,
            ratedVoltAmperes: reading.device.rating.voltAmperes,
            name: reading.device.alias,
            typeCode: reading.device.typeCode
        )
    }
}
