// SPDX-License-Identifier: MIT

import Testing
import WPModel
import WPSimulator
import WPTestKit
import WPTestSupport

struct ControlTests {
    @Test func addsRemovesAndRenamesDevices() async throws {
        let harness = SimulatorHarness()
        let simulator = harness.simulator
        let original = simulator.deviceIDs
        simulator.rename(original[1], to: "renamed")
        simulator.removeDevice(original[0])
        let added = simulator.addDevice()
        let named = simulator.addDevice(alias: "mine")
        #expect(simulator.deviceIDs == [original[1], original[2], added, named])
        let aliases = try await harness.devices().map { $0["assetDevice"]?["alias"]?.text }
        #expect(aliases == ["renamed", "UPS-03 Rack C", "UPS-04 Rack D", "mine"])
        simulator.restoreDevice(original[0])
        #expect(simulator.deviceIDs == original + [added, named])
        let more = SimulatorHarness(SimulatorConfiguration(deviceCount: 4))
        #expect(more.simulator.deviceIDs.last == added)
    }

    @Test func ignoresUnknownDevices() async throws {
        let harness = SimulatorHarness()
        let before = try await harness.devices()
        let nobody = DeviceID("nobody")
        harness.simulator.rename(nobody, to: "x")
        harness.simulator.removeDevice(nobody)
        harness.simulator.restoreDevice(nobody)
        harness.simulator.set(connected: false, for: nobody)
        harness.simulator.set(load: .constant(watts: 1), for: nobody)
        #expect(try await harness.devices() == before)
    }

    @Test func oneDeviceCanBeDisconnected() async throws {
        let harness = SimulatorHarness()
        let id = harness.simulator.deviceIDs[1]
        let before = try await harness.devices()
        harness.simulator.set(connected: false, for: id)
        harness.clock.advance(by: .seconds(2000))
        harness.simulator.set(connected: false, for: id)
        harness.clock.advance(by: .seconds(2000))
        let during = try await harness.devices()
        #expect(during.map { $0["connected"] } == [.bool(true), .bool(false), .bool(true)])
        #expect(during[1]["realtime"] == before[1]["realtime"])
        harness.simulator.set(connected: true, for: id)
        let after = try await harness.devices()
        #expect(after[1]["connected"] == .bool(true))
        #expect(after[1]["realtime"] != before[1]["realtime"])
    }

    @Test func aConstantLoadShowsInEveryField() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 1))
        harness.simulator.set(load: .constant(watts: 0), for: harness.simulator.deviceIDs[0])
        let idle = try await harness.realtime()
        #expect(idle["loadTotalWatt"] == .string("0"))
        #expect(idle["loadPercent"] == .string("0"))
        #expect(idle["outputCurrent1"] == .string("0.0"))
        #expect(idle["batRemainTime"] == .string("99999"))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func writesAnInvalidLoadAsNoValue(watts: Double) async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 1))
        harness.simulator.set(load: .constant(watts: watts), for: harness.simulator.deviceIDs[0])
        #expect(try await harness.realtime()["loadTotalWatt"] == .string(""))
        harness.simulator.set(scenario: .onBattery)
        harness.clock.advance(by: .seconds(10))
        #expect(try await harness.realtime()["mode"] == .string("4"))
    }

    @Test func scenariosPlayOneAfterTheOther() async throws {
        let harness = SimulatorHarness()
        let task = Task {
            try await harness.simulator.play([(.onBattery, .seconds(60)), (.slow, .seconds(5)), (.alarm, .seconds(30))])
        }
        for (scenario, duration) in [(Scenario.onBattery, 60), (.slow, 5)] {
            try await harness.clock.waitForSleepers()
            #expect(harness.simulator.scenario == scenario)
            harness.clock.advance(by: .seconds(duration))
        }
        try await harness.clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(harness.simulator.scenario == .alarm)
    }

    @Test func aDeviceAddedDuringAPowerCutRunsOnItsBattery() async throws {
        let harness = SimulatorHarness(.onBattery, devices: 0)
        harness.simulator.addDevice()
        #expect(try await harness.realtime()["mode"] == .string("4"))
        #expect(harness.simulator.scenario == .onBattery)
    }
}
