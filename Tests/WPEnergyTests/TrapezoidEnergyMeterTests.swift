// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPEnergy
import WPLogging
import WPModel
import WPTestKit

@Suite struct TrapezoidEnergyMeterTests {
    private let a = DeviceID("a")
    private let b = DeviceID("b")
    private let clock = TestClock()
    private let store = FakeEnergyStore()
    private let log = CapturingLogHandler()

    private func meter(
        _ configuration: TrapezoidEnergyMeter.Configuration = .init()
    ) async throws -> TrapezoidEnergyMeter {
        try await TrapezoidEnergyMeter(
            configuration: configuration,
            store: store,
            timeSource: clock,
            logger: log.logger
        )
    }

    private func sample(_ device: DeviceID, _ watts: Double?, rated: Double? = nil) -> PowerSample {
        PowerSample(device: device, time: clock.timeSource.now, watts: watts, ratedVoltAmperes: rated)
    }

    @Test func savesABatchOfAnySizeInOneCall() async throws {
        let meter = try await meter()
        for cycle in 1...3 {
            let update = await meter.record((0..<50).map { sample(DeviceID("device-\($0)"), 10) })
            #expect(update.totals.count == 50)
            #expect(store.saves == cycle)
            clock.advance(by: .seconds(5))
        }
        #expect(store.records.map(\.key) == store.records.map(\.key).sorted())
        #expect(store.records.allSatisfy { $0.total.joules == 100 })
    }

    @Test func distinguishesCanonicallyEquivalentIdentifiers() async throws {
        let meter = try await meter()
        let (composed, decomposed) = (DeviceID("caf\u{E9}"), DeviceID("cafe\u{301}"))
        for _ in 0..<2 {
            _ = await meter.record([sample(composed, 100), sample(decomposed, 300)])
            clock.advance(by: .seconds(5))
        }
        let totals = await meter.totals()
        #expect(totals[composed]?.joules == 500)
        #expect(totals[decomposed]?.joules == 1500)
    }

    /// A server with new identifiers in each cycle.
    @Test func dropsManyAbsentDevicesWithoutEnergy() async throws {
        var configuration = TrapezoidEnergyMeter.Configuration()
        configuration.maxUnmeteredAbsentDevices = 20
        let meter = try await meter(configuration)
        for cycle in 0..<10 {
            let update = await meter.record(
                [sample(a, 100)] + (0..<15).map { sample(DeviceID("\(cycle)-\($0)"), 100) }
            )
            #expect(update.totals.count <= 1 + 15 + 20 + 15)
            #expect(update.totals.keys.count { $0.rawValue.hasPrefix("\(cycle)-") } == 15)
            clock.advance(by: .seconds(5))
        }
        let totals = await meter.totals()
        #expect(totals[a]?.joules == 4500)
        #expect(totals.count < 60 && store.records.count == totals.count)
        // Metered devices are kept, even without load.
        for _ in 0..<2 {
            _ = await meter.record((0..<100).map { sample(DeviceID("kept-\($0)"), Double($0 % 2)) })
            clock.advance(by: .seconds(5))
        }
        for cycle in 0..<5 { _ = await meter.record((0..<15).map { sample(DeviceID("more-\(cycle)-\($0)"), 1) }) }
        #expect(await meter.totals().keys.count { $0.rawValue.hasPrefix("kept-") } == 100)
    }

    @Test func limitsTheNumberOfMeteredDevices() async throws {
        var configuration = TrapezoidEnergyMeter.Configuration()
        configuration.maxDevices = 3
        let meter = try await meter(configuration)
        for _ in 0..<3 {
            _ = await meter.record((0..<5).map { sample(DeviceID("\($0)"), 100) })
            clock.advance(by: .seconds(5))
        }
        #expect(await meter.totals().keys.map(\.rawValue).sorted() == ["0", "1", "2"])
        #expect(log.messages(.warn).count == 1)
    }

    @Test func limitsLogLinesAboutImplausibleDevices() async throws {
        let meter = try await meter()
        for cycle in 0..<3 {
            _ = await meter.record((0..<1000).map { sample(DeviceID("\(cycle)-\($0)"), 1000, rated: 10) })
            clock.advance(by: .seconds(5))
        }
        #expect(log.messages(.warn).count == 1000)
        // The limit is per hour.
        clock.advance(by: .seconds(3600))
        for cycle in 3..<5 {
            _ = await meter.record((0..<1000).map { sample(DeviceID("\(cycle)-\($0)"), 1000, rated: 10) })
        }
        #expect(log.messages(.warn).count == 2000)
    }

    @Test func metersAsManyDevicesAsAServerHas() {
        let configuration = TrapezoidEnergyMeter.Configuration()
        #expect(configuration.maxDevices == 100_000)
        #expect(configuration.maxUnmeteredAbsentDevices == 1000)
        #expect(configuration.maxGap == .seconds(60) && configuration.saveTimeout == .seconds(1))
        #expect(configuration.plausibilityMargin == 1.5)
    }

    @Test func newLimitsApplyFromTheNextSample() async throws {
        let meter = try await meter(.init(maxGap: .seconds(5), plausibilityMargin: 1))
        _ = await meter.record([sample(a, 10, rated: 100)])
        clock.advance(by: .seconds(20))
        #expect(await meter.record([sample(a, 10, rated: 100)]).totals[a]?.gapSeconds == 20)
        await meter.setLimits(maxGap: .seconds(30), plausibilityMargin: nil)
        clock.advance(by: .seconds(20))
        let update = await meter.record([sample(a, 500, rated: 100)])
        #expect(update.totals[a] == EnergyTotal(joules: 5100, meteredSeconds: 20, gapSeconds: 20))
        #expect(update.implausibleSamples == 0)
    }

    @Test func doesNotSaveWithoutChanges() async throws {
        let meter = try await meter()
        _ = await meter.record([])
        #expect(store.saves == 0)
        _ = await meter.record([sample(a, 10)])
        _ = await meter.record([sample(a, 10)])
        try await meter.flush()
        #expect(store.saves == 1)
    }

    @Test func readingTotalsChangesNothing() async throws {
        let meter = try await meter()
        _ = await meter.record([sample(a, 3)])
        for _ in 0..<100 {
            clock.advance(by: .milliseconds(50))
            #expect(await meter.totals() == [a: EnergyTotal()])
        }
        let update = await meter.record([sample(a, 3)])
        #expect(update.totals == [a: EnergyTotal(joules: 15, meteredSeconds: 5, gapSeconds: 0)])
        #expect(await meter.totals() == update.totals)
    }

    @Test func onlyTheFirstSampleOfADeviceInABatchCounts() async throws {
        let meter = try await meter()
        _ = await meter.record([sample(a, 10), sample(a, 1000)])
        clock.advance(by: .seconds(10))
        #expect(await meter.record([sample(a, 10)]).totals[a]?.joules == 100)
    }

    @Test func aReturningDeviceResumesItsTotal() async throws {
        let meter = try await meter()
        _ = await meter.record([sample(a, 10), sample(b, 20)])
        clock.advance(by: .seconds(10))
        _ = await meter.record([sample(a, 10), sample(b, 20)])
        for _ in 0..<100 {
            clock.advance(by: .seconds(10))
            _ = await meter.record([sample(b, 20)])
        }
        #expect(await meter.totals()[a] == EnergyTotal(joules: 100, meteredSeconds: 10, gapSeconds: 0))
        clock.advance(by: .seconds(10))
        _ = await meter.record([sample(a, 10), sample(b, 20)])
        clock.advance(by: .seconds(10))
        let totals = await meter.record([sample(a, 10)]).totals
        #expect(totals[a] == EnergyTotal(joules: 200, meteredSeconds: 20, gapSeconds: 1010))
        #expect(totals[b]?.joules == 20_400.0)
    }

    @Test func aNewMeterResumesSavedTotals() async throws {
        var meter = try await meter()
        _ = await meter.record([sample(a, 100)])
        clock.advance(by: .seconds(5))
        _ = await meter.record([sample(a, 100)])
        meter = try await self.meter()
        #expect(await meter.totals()[a]?.joules == 500)
        clock.advance(by: .seconds(20))
        #expect(await meter.record([sample(a, 200)]).totals[a]?.joules == 3500)
    }

    @Test func keepsRecordsOfOtherSources() async throws {
        let foreign = EnergyRecord(
            key: EnergyKey(source: SourceID(rawValue: "other"), device: a),
            total: EnergyTotal(joules: 1, meteredSeconds: 2, gapSeconds: 3)
        )
        try await store.save([foreign])
        let meter = try await meter()
        #expect(await meter.totals().isEmpty)
        _ = await meter.record([sample(a, 5)])
        #expect(store.records.contains(foreign))
        #expect(store.records.count == 2)
    }

    // MARK: Failing stores

    @Test func countsInMemoryWhileSavingFailsAndLogsOnce() async throws {
        let meter = try await meter()
        _ = await meter.record([sample(a, 100)])
        let full = EnergyStoreError(code: .full, message: "No space is left.")
        store.fail(with: full)
        for _ in 0..<10 {
            clock.advance(by: .seconds(5))
            let update = await meter.record([sample(a, 100)])
            #expect(update.saveFailure == full)
            #expect(!update.isSaved)
            // Unsaved totals are not published.
            #expect(update.totals[a]?.joules == 0)
        }
        #expect(await meter.totals()[a]?.joules == 0)
        #expect(log.messages(.warn).count == 1)
        #expect(log.records.last?.fields["error"] == "No space is left.")
        await #expect(throws: full) { try await meter.flush() }

        store.fail(with: nil)
        try await meter.flush()
        #expect(store.records.first?.total.joules == 5000)
        #expect(await meter.totals()[a]?.joules == 5000)
        #expect(log.records.last?.level == .info)
        #expect(log.records.last?.fields["failed_saves"] == .int(11 as Int))
        #expect(log.records.count == 2)

        store.fail(with: full)
        clock.advance(by: .seconds(5))
        _ = await meter.record([sample(a, 100)])
        #expect(log.records.count == 3)
    }

    @Test func wrapsErrorsOfOtherTypes() async throws {
        struct Odd: Error {}
        struct OddStore: EnergyStore {
            func load() async throws -> [EnergyRecord] { [] }
            func save(_ records: [EnergyRecord]) async throws { throw Odd() }
        }
        let meter = try await TrapezoidEnergyMeter(store: OddStore(), logger: .silent)
        #expect(await meter.record([sample(a, 1)]).saveFailure?.code == .io)
    }

    @Test func anUnreadableStoreIsNotEmpty() async throws {
        let damaged = EnergyStoreError(code: .damaged, message: "Damaged.")
        store.fail(with: damaged)
        await #expect(throws: damaged) { try await meter() }
    }

    @Test(arguments: [
        EnergyTotal(joules: -1), EnergyTotal(joules: .nan), EnergyTotal(joules: .infinity),
        EnergyTotal(meteredSeconds: -1), EnergyTotal(meteredSeconds: .nan), EnergyTotal(gapSeconds: -.infinity),
    ])
    func rejectsARecordThatNoMeterWrote(_ total: EnergyTotal) async throws {
        try await store.save([EnergyRecord(key: EnergyKey(device: DeviceID("ups-7")), total: total)])
        let error = await #expect(throws: EnergyStoreError.self) { try await meter() }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("ups-7") == true)
    }

    @Test func rejectsTwoRecordsOfOneDevice() async throws {
        let record = EnergyRecord(key: EnergyKey(device: DeviceID("ups-7")), total: EnergyTotal())
        try await store.save([record, record])
        let error = await #expect(throws: EnergyStoreError.self) { try await meter() }
        #expect(error?.code == .damaged)
    }

    // MARK: Plausibility

    @Test func aReadingBeyondTheRatingIsNotCounted() async throws {
        let meter = try await meter()
        var implausible: [Int] = []
        for watts in [100.0, 100, 1500.1, 100, 100, 1500] {
            implausible.append(await meter.record([sample(a, watts, rated: 1000)]).implausibleSamples)
            clock.advance(by: .seconds(5))
        }
        #expect(implausible == [0, 0, 1, 0, 0, 0])
        let total = await meter.totals()[a]
        #expect(total == EnergyTotal(joules: 500 + 1000 + 500 + 4000, meteredSeconds: 25, gapSeconds: 0))
    }

    @Test func anImplausibleReadingIsLoggedOncePerDeviceAndHour() async throws {
        let meter = try await meter()
        var implausible = 0
        for _ in 0...720 {
            let update = await meter.record([sample(a, 9999, rated: 1000), sample(b, 9999, rated: 1000)])
            implausible += update.implausibleSamples
            clock.advance(by: .seconds(5))
        }
        #expect(implausible == 1442)
        let devices = log.records.compactMap { $0.fields["device_id"] }
        #expect(devices == ["a", "b", "a", "b"])
        #expect(log.records.first?.fields["limit_watts"] == 1500.0)
    }

    @Test(
        arguments: [
            (1.5, nil), (1.5, 0), (1.5, -5), (1.5, .nan), (1.5, .infinity), (nil, 1000), (.nan, 1000),
        ] as [(Double?, Double?)]
    )
    func acceptsAnyPowerWithoutARatingOrMargin(margin: Double?, rated: Double?) async throws {
        let meter = try await meter(.init(plausibilityMargin: margin))
        #expect(await meter.record([sample(a, 1e6, rated: rated)]).implausibleSamples == 0)
        clock.advance(by: .seconds(1))
        let update = await meter.record([sample(a, 1e6, rated: rated)])
        #expect(update.totals[a]?.joules == 1e6)
        #expect(update.implausibleSamples == 0)
    }

    // MARK: Clocks and names

    @Test func logsDisagreeingClocksOncePerHour() async throws {
        let meter = try await meter()
        for _ in 0...721 {
            _ = await meter.record([sample(a, 1), sample(b, 1)])
            clock.advance(by: .seconds(5))
            clock.stepWall(by: 60)
        }
        let total = try #require(await meter.totals()[a])
        #expect(total.meteredSeconds == 3605)
        #expect(abs(total.unverifiedSeconds - 721 * 60) < 1e-3)
        #expect(log.records.map(\.level) == [.warn, .warn])
        #expect(log.records.first?.fields["devices"] == .int(2))
        #expect(log.records.map { $0.fields["longest_s"] } == [.double(60), .double(60)])
    }

    @Test func oneDevicesClockCausesAWarning() async throws {
        let meter = try await meter()
        _ = await meter.record([sample(a, 1)])
        clock.advance(by: .seconds(5))
        clock.stepWall(by: 60)
        _ = await meter.record([sample(a, 1)])
        #expect(log.records.map { $0.fields["devices"] } == [.int(1)])
    }

    @Test func namesAreSavedWithTheTotals() async throws {
        let meter = try await meter()
        var power = sample(a, 1)
        power.name = "Rack 1"
        power.typeCode = 1
        _ = await meter.record([power])
        #expect(store.records.map(\.name) == ["Rack 1"])
        power.name = "Rack 2"
        power.typeCode = nil
        power.watts = nil
        clock.advance(by: .seconds(5))
        power.time = clock.timeSource.now
        _ = await meter.record([power])
        #expect(store.records.map(\.name) == ["Rack 2"])
        #expect(store.records.map(\.typeCode) == [1])
        let next = try await self.meter()
        clock.advance(by: .seconds(5))
        _ = await next.record([sample(a, 1)])
        #expect(store.records.map(\.name) == ["Rack 2"])
    }

    // MARK: Slow stores

    /// A store whose saves wait until the test releases or fails them.
    private final class GatedStore: EnergyStore {
        private let gate = AsyncStream<EnergyStoreError?>.makeStream()
        private let started = AsyncStream<Void>.makeStream()
        let saved = Mutex<[[EnergyRecord]]>([])

        func load() async throws -> [EnergyRecord] { [] }

        func save(_ records: [EnergyRecord]) async throws {
            started.continuation.yield()
            for await failure in gate.stream {
                if let failure { throw failure }
                break
            }
            saved.withLock { $0.append(records) }
        }

        func waitUntilSaving() async { for await _ in started.stream { break } }
        func open(_ failure: EnergyStoreError? = nil) { gate.continuation.yield(failure) }
    }

    private func meter(on store: GatedStore) async throws -> TrapezoidEnergyMeter {
        try await TrapezoidEnergyMeter(store: store, timeSource: clock, logger: log.logger)
    }

    @Test(.timeLimit(.minutes(1))) func anOlderStateNeverOverwritesANewerOne() async throws {
        let store = GatedStore()
        let meter = try await meter(on: store)
        async let first = meter.record([sample(a, 1)])
        await store.waitUntilSaving()
        let second = sample(b, 1)
        async let later = meter.record([second])
        try await clock.waitForSleepers(2)
        store.open()
        store.open()
        #expect(await first.saveFailure == nil)
        #expect(await later.saveFailure == nil)
        #expect(await later.totals.count == 2)
        #expect(store.saved.withLock { $0.map(\.count) } == [1, 2])
        // The saved pending state is not saved again.
        store.open()
        store.open()
        #expect(await meter.record([sample(DeviceID("c"), 1)]).isSaved)
        #expect(store.saved.withLock { $0.map(\.count) } == [1, 2, 3])
    }

    @Test(.timeLimit(.minutes(1))) func cancellationDoesNotStopASave() async throws {
        let store = GatedStore()
        let meter = try await meter(on: store)
        let power = sample(a, 1)
        let task = Task { await meter.record([power]) }
        await store.waitUntilSaving()
        task.cancel()
        store.open()
        #expect(await task.value.saveFailure == nil)
        #expect(store.saved.withLock { $0.count } == 1)
    }

    @Test(.timeLimit(.minutes(1))) func metersDuringAHangingSaveAndThenSavesTheNewestState() async throws {
        let store = GatedStore()
        let meter = try await meter(on: store)
        let start = sample(a, 100)
        async let first = meter.record([start])
        await store.waitUntilSaving()
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(await !first.isSaved)
        #expect(await first.saveFailure == nil)
        #expect(await first.totals.isEmpty)
        for _ in 0..<10 {
            clock.advance(by: .seconds(5))
            // The next cycle does not wait for it again.
            let update = await meter.record([sample(a, 100)])
            #expect(!update.isSaved)
            #expect(update.totals.isEmpty)
        }
        #expect(log.messages(.info).count == 1)
        store.open()
        await store.waitUntilSaving()
        #expect(await meter.totals()[a]?.joules == 0)
        store.open()
        try await meter.flush()
        #expect(await meter.totals()[a]?.joules == 5100)
        #expect(store.saved.withLock { $0.map { $0[0].total.joules } } == [0, 5100])
        #expect(log.records.last?.message == "Energy totals are saved again")
        // Later saves are waited for again.
        let records = log.records.count
        for _ in 0..<2 {
            store.open()
            clock.advance(by: .seconds(5))
            #expect(await meter.record([sample(a, 100)]).isSaved)
        }
        #expect(log.records.count == records)
    }

    @Test(.timeLimit(.minutes(1))) func savesTheNewestStateAfterAHangingSaveFailed() async throws {
        let store = GatedStore()
        let meter = try await meter(on: store)
        let start = sample(a, 100)
        async let first = meter.record([start])
        await store.waitUntilSaving()
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(await !first.isSaved)
        _ = await meter.record([sample(a, 100)])
        store.open(EnergyStoreError(code: .io, message: "It broke."))
        await store.waitUntilSaving()
        store.open()
        try await meter.flush()
        #expect(store.saved.withLock { $0.map { $0[0].total.joules } } == [500])
        #expect(log.records.map(\.level) == [.warn, .error, .info])
    }
}
