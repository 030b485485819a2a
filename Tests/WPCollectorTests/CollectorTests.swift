// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPCore
import WPLogging
import WPMetrics
import WPModel
import WPTestKit

@Suite struct CollectorTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test func publishesACompleteCycle() async {
        bench.source.answer([bench.reading("a"), bench.reading("b")])
        bench.meter.set(EnergyUpdate(totals: [DeviceID("a"): EnergyTotal(joules: 7200)]))

        #expect(await bench.collector.collect() == .success)

        let snapshot = bench.collector.snapshot
        #expect(snapshot.readings.map(\.device.id.rawValue) == ["a", "b"])
        #expect(snapshot.totals[DeviceID("a")]?.wattHours == 2)
        #expect(snapshot.lastSuccess == bench.clock.timeSource.now)
        #expect(snapshot.failure == nil)
        #expect(snapshot.reachedServer && snapshot.wasAuthenticated)
        #expect(snapshot.generation == 1)
    }

    @Test func metersAllDevicesInOneCall() async {
        bench.source.answer([bench.reading("a", watts: 10), bench.reading("b", watts: nil)])
        await bench.collector.collect()
        #expect(bench.meter.batches.map { $0.map(\.watts) } == [[10, nil]])
        #expect(bench.meter.batches.first?.first?.ratedVoltAmperes == 3000)
    }

    @Test(arguments: [(Bool?.some(false), Double?.none), (true, 195), (nil, 195)])
    func doesNotMeterAnUnreachableDevice(isConnected: Bool?, metered: Double?) async {
        bench.source.answer([.sample(time: bench.clock.timeSource.now, isConnected: isConnected)])
        await bench.collector.collect()
        #expect(bench.meter.batches.first?.first?.watts == metered)
    }

    @Test(arguments: [
        (FailureReason.connect, false, false), (.timeout, false, false), (.auth, true, false), (.decode, true, true),
    ])
    func keepsReadingsAfterAFailure(
        reason: FailureReason,
        reached: Bool,
        authenticated: Bool
    ) async {
        bench.source.answer([bench.reading("a")])
        bench.source.fail(
            DeviceSourceError(
                reason: reason,
                endpoint: .devices,
                message: "it broke",
                reachedServer: reached,
                wasAuthenticated: authenticated
            )
        )
        await bench.collector.collect()
        bench.clock.advance(by: .seconds(5))
        #expect(await bench.collector.collect() == .failure(reason))

        let snapshot = bench.collector.snapshot
        #expect(snapshot.readings.count == 1)
        #expect(snapshot.failure?.reason == reason)
        #expect(snapshot.failure?.message == "it broke")
        #expect(snapshot.failure?.count == 1)
        #expect(snapshot.reachedServer == reached)
        #expect(snapshot.wasAuthenticated == authenticated)
        #expect(snapshot.lastSuccess?.monotonic == .zero)
    }

    @Test func reportsAnUnreachedServerDuringBackoff() async {
        let pausing = DeviceSourceError(
            reason: .auth,
            endpoint: .login,
            message: "pausing",
            reachedServer: false,
            wasAuthenticated: false
        )
        bench.source.answer([])
        bench.source.fail(pausing)
        await bench.collector.collect()
        #expect(bench.collector.snapshot.reachedServer)
        await bench.collector.collect()
        #expect(!bench.collector.snapshot.reachedServer)
        #expect(!bench.collector.snapshot.wasAuthenticated)
    }

    @Test func reportsOtherErrorsAsInternal() async {
        struct Odd: Error {}
        bench.source.answer([bench.reading("a")])
        await bench.collector.collect()
        #expect(bench.collector.snapshot.reachedServer && bench.collector.snapshot.wasAuthenticated)
        bench.source.fail(Odd())
        #expect(await bench.collector.collect() == .failure(.internal))
        // The state of the server is unknown.
        #expect(!bench.collector.snapshot.reachedServer)
        #expect(!bench.collector.snapshot.wasAuthenticated)
    }

    @Test func ignoresACancelledCycle() async {
        bench.source.answer([bench.reading("a")])
        bench.source.fail(CancellationError())
        await bench.collector.collect()
        #expect(await bench.collector.collect() == .cancelled)
        #expect(bench.collector.snapshot.generation == 1)
        #expect(bench.collector.snapshot.failure == nil)
    }

    @Test func publishesReadingsAlthoughSavingFails() async throws {
        bench.source.answer([bench.reading("a")])
        bench.meter.set(
            EnergyUpdate(
                totals: [DeviceID("a"): EnergyTotal(joules: 3600)],
                saveFailure: EnergyStoreError(code: .full, message: "no space left in /data")
            )
        )
        #expect(await bench.collector.collect() == .failure(.storage))
        let snapshot = bench.collector.snapshot
        #expect(snapshot.readings.count == 1)
        #expect(snapshot.totals[DeviceID("a")]?.wattHours == 1)
        #expect(snapshot.lastSuccess != nil)
        #expect(snapshot.reachedServer && snapshot.wasAuthenticated)
        let errors = try await bench.value("winpower_exporter_scrape_errors_total", ["reason": "storage"])
        #expect(errors == 1)
    }

    @Test func reportsPendingSavesWithoutAFailure() async {
        let start = bench.clock.timeSource.now
        for isSaved in [true, false, false] {
            bench.source.answer([bench.reading("a")])
            bench.meter.set(EnergyUpdate(totals: [:], isSaved: isSaved))
            #expect(await bench.collector.collect() == .success)
            bench.clock.advance(by: .seconds(5))
        }
        #expect(bench.collector.snapshot.lastSave == start)
        #expect(bench.collector.snapshot.unsavedSince?.since(start) == .seconds(5))
        #expect(bench.collector.snapshot.lastEnd?.since(start) == .seconds(10))
        bench.source.fail(Bench.failure(.connect))
        await bench.collector.collect()
        #expect(bench.collector.snapshot.unsavedSince?.since(start) == .seconds(5))
        #expect(bench.collector.snapshot.lastEnd?.since(start) == .seconds(15))
        bench.source.answer([bench.reading("a")])
        bench.meter.set(EnergyUpdate(totals: [:]))
        await bench.collector.collect()
        #expect(bench.collector.snapshot.unsavedSince == nil)
        #expect(bench.collector.snapshot.lastSave?.since(start) == .seconds(15))
    }

    @Test func includesDeviceMetadataInSamples() async {
        bench.source.answer([bench.reading("a", alias: "C3K")])
        await bench.collector.collect()
        #expect(bench.meter.batches.first?.first?.name == "C3K")
        #expect(bench.meter.batches.first?.first?.typeCode == 1)
    }

    @Test func countsImplausibleSamples() async throws {
        let name = "winpower_exporter_implausible_samples_total"
        #expect(try await bench.value(name) == 0)
        for count in [0, 2, 3] {
            bench.source.answer([bench.reading("a")])
            bench.meter.set(EnergyUpdate(totals: [:], implausibleSamples: count))
            #expect(await bench.collector.collect() == .success)
        }
        #expect(try await bench.value(name) == 5)
    }

    @Test func countsAndTimesCycles() async throws {
        let clock = bench.clock
        bench.source.answer {
            clock.advance(by: .milliseconds(40))
            return []
        }
        bench.source.fail(Bench.failure(.timeout))
        await bench.collector.collect()
        await bench.collector.collect()
        let families = await bench.registry.gather().families
        let duration = families.first { $0.name == "winpower_exporter_collection_duration_seconds" }
        guard case .histogram(let histogram)? = duration?.metrics.first?.value else {
            Issue.record("there is no histogram")
            return
        }
        #expect(histogram.count == 2)
        #expect(abs((histogram.sum ?? 0) - 0.04) < 1e-9)
        for reason in FailureReason.allCases {
            let count = try await bench.value("winpower_exporter_scrape_errors_total", ["reason": reason.rawValue])
            #expect(count == (reason == .timeout ? 1 : 0))
        }
    }
}
