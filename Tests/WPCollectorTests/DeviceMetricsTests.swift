// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPCore
import WPLogging
import WPMetrics
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct DeviceMetricsTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func collect(_ readings: DeviceReading..., totals: [DeviceID: EnergyTotal] = [:]) async {
        bench.source.answer(readings)
        bench.meter.set(EnergyUpdate(totals: totals))
        await bench.collector.collect()
    }

    private func deviceFamilies() async -> [String] {
        await bench.registry.gather().families.map(\.name).filter { $0.hasPrefix("winpower_device_") }
    }

    @Test(arguments: [
        ("connected", 1), ("load_percent", 6), ("load_total_watts", 195), ("load_total_va", 198),
        ("cumulative_energy", 2), ("input_voltage", 236.8), ("output_voltage", 220.1), ("output_current", 1.1),
        ("input_frequency", 49.9), ("output_frequency", 49.9), ("battery_charging", 1), ("battery_capacity", 90),
        ("battery_remain_seconds", 6723), ("battery_voltage", 81.4), ("battery_status", 2), ("ups_status", 1),
        ("ups_test_status", 1), ("output_voltage_type", 0), ("input_transformer_type", 0), ("ups_mode", 3),
        ("ups_temperature", 27), ("active_alarms", 0), ("rated_va", 3000), ("rated_voltage", 220),
        ("rated_frequency", 50), ("rated_battery_voltage", 72), ("info", 1),
        ("last_update_timestamp_seconds", 1_750_000_000), ("last_change_timestamp_seconds", 1_750_000_000),
    ])
    func exposesEveryValueOfAReading(name: String, value: Double) async throws {
        let total = EnergyTotal(joules: 7200, meteredSeconds: 60, gapSeconds: 3)
        await collect(bench.reading("a", alias: "C3K"), totals: [DeviceID("a"): total])
        let labels: KeyValuePairs = ["device_id": "a", "device_name": "C3K", "device_type": "1"]
        #expect(try await bench.value("winpower_device_" + name, labels) == value)
    }

    @Test(arguments: [
        ("energy_joules_total", 7200.0), ("energy_metered_seconds_total", 60), ("energy_gap_seconds_total", 3),
        ("energy_unverified_seconds_total", 4),
    ])
    func labelsEnergyCountersOnlyWithTheDeviceID(name: String, value: Double) async throws {
        let total = EnergyTotal(joules: 7200, meteredSeconds: 60, gapSeconds: 3, unverifiedSeconds: 4)
        for alias in ["old", "new"] {
            await collect(bench.reading("a", alias: alias), totals: [DeviceID("a"): total])
            let metrics = await bench.metrics("winpower_device_" + name)
            #expect(metrics.map(\.labels) == [try LabelSet(["device_id": "a"])])
            #expect(metrics.map(\.value) == [.value(value)])
            #expect(try await bench.value("winpower_device_info", ["device_id": "a", "device_name": alias]) == 1)
        }
    }

    @Test func exposesSavedEnergyBeforeTheFirstSuccess() async throws {
        let source = FakeDeviceSource()
        let total = EnergyTotal(joules: 3600)
        let collector = Collector(
            source: source,
            meter: bench.meter,
            timeSource: bench.clock.timeSource,
            instruments: bench.instruments,
            saved: [
                EnergyRecord(key: EnergyKey(device: DeviceID("a")), total: total, name: "C3K", typeCode: 1),
                EnergyRecord(key: EnergyKey(device: DeviceID("gone")), total: total),
            ],
            logger: .silent
        )
        let metrics = try DeviceMetrics(staleAfter: .seconds(15), timeSource: bench.clock.timeSource) {
            collector.snapshot
        }
        func labels() throws -> [LabelSet] {
            try metrics.collectNow().first { $0.name == "winpower_device_cumulative_energy" }?.metrics.map(\.labels)
                ?? []
        }
        let remembered = [
            try LabelSet(["device_id": "a", "device_name": "C3K", "device_type": "1"]),
            try LabelSet(["device_id": "gone", "device_name": "gone", "device_type": "unknown"]),
        ]
        #expect(try labels() == remembered)
        source.fail(Bench.failure(.connect))
        await collector.collect()
        #expect(try labels() == remembered)
        #expect(try metrics.collectNow().map(\.name).allSatisfy { $0.contains("energy") })
        source.answer([bench.reading("a", alias: "C3K")])
        bench.meter.set(EnergyUpdate(totals: [DeviceID("a"): total, DeviceID("gone"): total]))
        await collector.collect()
        #expect(try labels() == [remembered[0]])
    }

    @Test func exposesTheTimeOfTheLastChange() async throws {
        let name = "winpower_device_last_change_timestamp_seconds"
        var values: [Double?] = []
        for watts in [195.0, 195, 195, 196, 196] {
            await collect(bench.reading("b", watts: Double(values.count)), bench.reading("a", watts: watts))
            values.append(try await bench.value(name, ["device_id": "a"]))
            bench.clock.advance(by: .seconds(5))
        }
        #expect(values == [0, 0, 0, 15, 15].map { 1_750_000_000 + $0 })
        // Reordering is not a change, and a returning device counts as new.
        await collect(bench.reading("a", watts: 196), bench.reading("b", watts: 4))
        #expect(try await bench.value(name, ["device_id": "a"]) == 1_750_000_015)
        #expect(try await bench.value(name, ["device_id": "b"]) == 1_750_000_020)
        await collect(bench.reading("b", watts: 4))
        #expect(try await bench.value(name, ["device_id": "a"]) == nil)
        bench.clock.advance(by: .seconds(5))
        await collect(bench.reading("a", watts: 196))
        #expect(try await bench.value(name, ["device_id": "a"]) == 1_750_000_030)
    }

    @Test func exposesTheTimeOfTheLastSave() async throws {
        let name = "winpower_exporter_last_save_timestamp_seconds"
        #expect(try await bench.value(name) == nil)
        await collect(bench.reading("a"))
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.value(name) == 1_750_000_000)
        bench.source.answer([bench.reading("a")])
        bench.meter.set(EnergyUpdate(totals: [:], isSaved: false))
        await bench.collector.collect()
        #expect(try await bench.value(name) == 1_750_000_000)
        await collect(bench.reading("a"))
        #expect(try await bench.value(name) == 1_750_000_005)
    }

    @Test func omitsUnreportedValues() async {
        let bare = DeviceReading(device: Device(id: DeviceID("a")), time: bench.clock.timeSource.now)
        await collect(bare)
        #expect(
            await deviceFamilies() == [
                "winpower_device_active_alarms", "winpower_device_info",
                "winpower_device_last_change_timestamp_seconds", "winpower_device_last_update_timestamp_seconds",
            ]
        )
        let labels = await bench.metrics("winpower_device_active_alarms").first?.labels
        #expect(labels?["device_name"] == "a")
        #expect(labels?["device_type"] == "unknown")
    }

    @Test func exposesTheModeAsAStateSet() async throws {
        var reading = bench.reading("a")
        reading.mode = OperatingMode(code: 42)
        await collect(reading)
        #expect(try await bench.value("winpower_device_ups_mode") == 42)
        let modes = await bench.metrics("winpower_device_mode")
        #expect(modes.count == OperatingMode.State.allCases.count)
        #expect(modes.filter { $0.value == .value(1) }.map { $0.labels["mode"] } == ["unknown"])
    }

    @Test func labelsFaultsAlarmsAndPhases() async throws {
        var reading = bench.reading("a")
        reading.faultCode = "E07"
        reading.alarms = [.init(id: "7", text: "Battery \"low\"\n"), .init(text: "Fan")]
        reading.phases = (1...3).map { .init(number: $0, inputVolts: 230, loadWatts: Double($0) * 100) }
        await collect(reading)
        #expect(try await bench.value("winpower_device_fault", ["fault_code": "E07"]) == 1)
        #expect(try await bench.value("winpower_device_active_alarms") == 2)
        #expect(
            try await bench.value("winpower_device_alarm", ["alarm_id": "7", "alarm": "Battery \"low\"\n"]) == 1
        )
        #expect(try await bench.value("winpower_device_phase_load_watts", ["phase": "3"]) == 300)
        #expect(await bench.metrics("winpower_device_phase_output_voltage").isEmpty)
        await collect(bench.reading("a"))
        #expect(await bench.metrics("winpower_device_fault").isEmpty)
        #expect(await bench.metrics("winpower_device_alarm").isEmpty)
    }

    @Test func exposesTwoDevicesWithTheSameName() async {
        await collect(bench.reading("a", alias: "UPS"), bench.reading("b", alias: "UPS"))
        let gathering = await bench.registry.gather()
        #expect(gathering.failures.isEmpty)
        #expect(await bench.metrics("winpower_device_connected").count == 2)
    }

    @Test func removesTheSeriesOfAnOldName() async {
        await collect(bench.reading("a", alias: "old"))
        _ = await bench.registry.gather()
        await collect(bench.reading("a", alias: "new"))
        let names = await bench.registry.gather().families.flatMap(\.metrics).compactMap { $0.labels["device_name"] }
        #expect(Set(names) == ["new"])
    }

    @Test func removesADeviceAndRestoresItsEnergyWhenItReturns() async throws {
        let totals = [DeviceID("b"): EnergyTotal(joules: 3600)]
        await collect(bench.reading("a"), bench.reading("b"), totals: totals)
        await collect(bench.reading("a"), totals: totals)
        #expect(try await bench.value("winpower_device_connected", ["device_id": "b"]) == nil)
        #expect(try await bench.value("winpower_device_cumulative_energy", ["device_id": "b"]) == nil)
        await collect(bench.reading("a"), bench.reading("b"), totals: totals)
        #expect(try await bench.value("winpower_device_cumulative_energy", ["device_id": "b"]) == 1)
    }

    @Test func keepsEnergyWhenGaugesAreStale() async throws {
        let total = [DeviceID("a"): EnergyTotal(joules: 3600)]
        await collect(bench.reading("a"), totals: total)
        bench.clock.advance(by: .seconds(15))
        #expect(try await bench.value("winpower_device_load_total_watts") == 195)
        bench.clock.advance(by: .milliseconds(1))
        #expect(
            await deviceFamilies() == [
                "winpower_device_cumulative_energy", "winpower_device_energy_gap_seconds_total",
                "winpower_device_energy_joules_total", "winpower_device_energy_metered_seconds_total",
                "winpower_device_energy_unverified_seconds_total",
            ]
        )
        #expect(try await bench.value("winpower_exporter_up") == 1)
        #expect(try await bench.value("winpower_connection_status") == 1)
    }

    @Test func exposesNoDevicesBeforeTheFirstCollection() async throws {
        #expect(await deviceFamilies().isEmpty)
        #expect(try await bench.value("winpower_exporter_up") == 1)
        #expect(try await bench.value("winpower_exporter_device_count") == 0)
        #expect(try await bench.value("winpower_connection_status") == 0)
        #expect(try await bench.value("winpower_exporter_last_success_timestamp_seconds") == nil)
    }

    @Test func exposesTheTimeOfTheLastSuccess() async throws {
        await collect(bench.reading("a"))
        let last = "winpower_exporter_last_success_timestamp_seconds"
        #expect(try await bench.value(last) == 1_750_000_000)
        bench.clock.advance(by: .seconds(5))
        bench.source.fail(Bench.failure(.connect))
        await bench.collector.collect()
        #expect(try await bench.value(last) == 1_750_000_000)
        await collect(bench.reading("a"))
        #expect(try await bench.value(last) == 1_750_000_005)
    }

    @Test func countsExchangesLoginsAndRejectedRecords() async throws {
        bench.instruments.loginEnded(.rejected)
        bench.instruments.exchangeEnded(.login, duration: .milliseconds(3))
        bench.instruments.cyclesSkipped(4)
        #expect(try await bench.value("winpower_token_expiry_seconds") == 0)
        bench.instruments.tokenChanged(expiry: .seconds(90))
        bench.clock.advance(by: .seconds(30))
        #expect(try await bench.value("winpower_token_expiry_seconds") == 60)
        bench.clock.advance(by: .seconds(120))
        #expect(try await bench.value("winpower_token_expiry_seconds") == 0)
        #expect(try await bench.value("winpower_exporter_logins_total", ["result": "rejected"]) == 1)
        #expect(try await bench.value("winpower_exporter_logins_total", ["result": "success"]) == 0)
        #expect(try await bench.value("winpower_exporter_collections_skipped_total") == 4)
    }

    @Test(arguments: [true, false]) func exposesDisabledVerification(_ isDisabled: Bool) async throws {
        let registry = Registry()
        _ = try CollectionInstruments(
            registry: registry,
            timeSource: bench.clock.timeSource,
            isTLSVerificationDisabled: isDisabled
        )
        let family = await registry.gather().families.first {
            $0.descriptor.name == "winpower_exporter_tls_verification_disabled"
        }
        #expect(family?.metrics.map(\.value) == [.value(isDisabled ? 1 : 0)])
    }

    @Test func appliesANewAgeLimit() throws {
        let snapshot = CollectionSnapshot(
            readings: [bench.reading("a")],
            lastSuccess: bench.clock.timeSource.now
        )
        let metrics = try DeviceMetrics(staleAfter: .seconds(5), timeSource: bench.clock.timeSource) { snapshot }
        bench.clock.advance(by: .seconds(6))
        // Energy is exposed regardless of its age.
        let stale = try metrics.collectNow().map(\.name)
        #expect(stale.allSatisfy { $0.contains("energy") })
        metrics.staleAfter = .seconds(10)
        #expect(metrics.staleAfter == .seconds(10))
        #expect(try metrics.collectNow().map(\.name).contains("winpower_device_connected"))
    }

    @Test func replacingTheSourceResetsItsMetrics() async throws {
        bench.instruments.tokenChanged(expiry: .seconds(100))
        bench.instruments.sourceReplaced(isTLSVerificationDisabled: true)
        #expect(try await bench.value("winpower_token_expiry_seconds") == 0)
        #expect(try await bench.value("winpower_exporter_tls_verification_disabled") == 1)
    }

    @Test func documentsEveryFamily() async throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/metrics.md")
        let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        let snapshots = try DeviceMetrics(staleAfter: .seconds(1), timeSource: bench.clock.timeSource) { .init() }
        let state = try SnapshotMetrics { .init() }
        let gathered = await bench.registry.gather().families.map(\.descriptor)
        for descriptor in snapshots.descriptors + state.descriptors + gathered {
            #expect(text.contains("`\(descriptor.name)` | \(descriptor.type.rawValue) |"), "\(descriptor.name)")
            #expect(!descriptor.help.isEmpty)
        }
    }
}
