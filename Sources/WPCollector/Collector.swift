// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPLogging
public import WPModel

/// Runs collection cycles: reads the devices, meters their energy, and publishes the result as one snapshot.
///
/// A single scheduler calls ``collect()``, never concurrently. ``snapshot`` may be read from any thread; it neither
/// waits for a cycle nor contacts the server.
public final class Collector: Sendable {
    /// The result of a cycle.
    public enum Outcome: Sendable, Hashable {
        /// Everything was read and saved.
        case success
        /// The cycle failed; see the snapshot's failure.
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
    ///   - source: the source of readings.
    ///   - meter: the energy meter.
    ///   - timeSource: the clocks.
    ///   - instruments: the metrics of the cycles.
    ///   - saved: the saved records at the start, so that energy is published before the first successful collection.
    ///   - logger: the log for changes of state.
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

    /// The state after the last cycle.
    public var snapshot: CollectionSnapshot {
        state.withLock { $0 }
    }

    /// Runs one cycle. A failure is counted, logged if it is new, and recorded in the snapshot; it is never thrown.
    ///
    /// Its log lines carry the number of the cycle in the field `cycle`.
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
            instruments.samplesRejected(update.implausibleSamples)
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
            // A source in backoff sends no request, so the server's state is unknown.
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

    /// When each reading last changed, ignoring its time.
    private static func lastChanges(
        of readings: [DeviceReading],
        before: CollectionSnapshot
    ) -> [DeviceID: TimePoint] {
        var changes: [DeviceID: TimePoint] = [:]
        let old = Dictionary(before.readings.map { ($0.device.id, $0) }) { first, _ in first }
        for reading in readings {
            let id = reading.device.id
            guard var earlier = old[id], let since = before.lastChanges[id] else {
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

    /// The power of an unreachable device is unknown, whatever value the server reports.
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
