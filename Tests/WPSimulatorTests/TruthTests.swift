// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPModel
import WPSimulator
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The simulator's true values match its replies, and are deterministic per seed.
struct TruthTests {
    @Test(arguments: [(0, 0.5), (1, 0.05), (2, 0.005), (3, 0.0005)])
    func powerMatchesTheList(decimals: Int, tolerance: Double) async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 20, wattDecimals: decimals))
        for step in [0.0, 1, 7.25, 3600, 86_400, 1e7] {
            harness.clock.advance(by: .seconds(step))
            let now = harness.clock.timeSource.now
            for device in try await harness.devices() {
                let id = DeviceID(try #require(device["assetDevice"]?["id"]?.text))
                let power = try #require(harness.simulator.power(of: id, at: now))
                let listed = try #require(device["realtime"]?["loadTotalWatt"]?.quantity)
                #expect(abs(power - listed) <= tolerance * 1.000_001)
            }
        }
    }

    @Test func onlyEqualSeedsGiveEqualReplies() async throws {
        func list(seed: UInt64) async throws -> [UInt8] {
            let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 20, seed: seed))
            harness.clock.advance(by: .seconds(12_345.678))
            return try await harness.get(SimulatorHarness.listTarget(page: 1), token: harness.token()).body
        }
        let first = try await list(seed: 7)
        #expect(try await list(seed: 7) == first)
        #expect(try await list(seed: 8) != first)
    }

    @Test func identifiersDependOnlyOnSeedAndIndex() {
        func ids(_ count: Int, seed: UInt64) -> [DeviceID] {
            WinPowerSimulator(configuration: SimulatorConfiguration(deviceCount: count, seed: seed)).deviceIDs
        }
        #expect(ids(3, seed: 5) == Array(ids(50, seed: 5).prefix(3)))
        #expect(Set(ids(50, seed: 5) + ids(50, seed: 6)).count == 100)
        // Fixed values, to detect a change of the algorithm.
        #expect(ids(1, seed: 1).map(\.rawValue) == ["f42c1727-f9a3-456d-ac5e-30c166f759b4"])
        for id in ids(50, seed: .max) {
            #expect(UUID(uuidString: id.rawValue) != nil)
            #expect(id.rawValue == id.rawValue.lowercased())
        }
    }

    @Test func theLoadDoesNotDependOnTheStart() throws {
        let early = TestClock()
        let late = TestClock(wall: early.timeSource.now.wall + 5000)
        let configuration = SimulatorConfiguration(deviceCount: 3, seed: 3)
        let first = WinPowerSimulator(configuration: configuration, timeSource: early.timeSource)
        let second = WinPowerSimulator(configuration: configuration, timeSource: late.timeSource)
        early.advance(by: .seconds(5000))
        for id in first.deviceIDs {
            let before = try #require(first.power(of: id, at: early.timeSource.now))
            let after = try #require(second.power(of: id, at: late.timeSource.now))
            #expect(abs(before - after) < 1e-6)
        }
    }

    @Test func wallClockStepsDoNotChangeTheLoad() throws {
        let harness = SimulatorHarness()
        let id = harness.simulator.deviceIDs[0]
        harness.clock.advance(by: .seconds(100))
        let before = harness.simulator.power(of: id, at: harness.clock.timeSource.now)
        harness.clock.stepWall(by: -40_000)
        #expect(harness.simulator.power(of: id, at: harness.clock.timeSource.now) == before)
    }

    @Test func energyIsTheIntegralOfPower() throws {
        let harness = SimulatorHarness()
        let start = harness.clock.timeSource.now
        func point(_ seconds: Double) -> TimePoint {
            TimePoint(wall: start.wall, monotonic: start.monotonic + .seconds(seconds))
        }
        for id in harness.simulator.deviceIDs {
            let span = 7200.0
            let step = 0.25
            var sum = 0.0
            var previous = try #require(harness.simulator.power(of: id, at: start))
            for count in 1...Int(span / step) {
                let next = try #require(harness.simulator.power(of: id, at: point(Double(count) * step)))
                sum += (previous + next) / 2 * step
                previous = next
            }
            let exact = try #require(harness.simulator.energy(of: id, from: start, to: point(span)))
            #expect(abs(sum - exact) < 1e-6 * exact)
        }
    }

    @Test func aChangedLoadKeepsItsHistory() throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 1))
        let simulator = harness.simulator
        let id = simulator.deviceIDs[0]
        let start = harness.clock.timeSource.now
        simulator.set(load: .constant(watts: 1000), for: id)
        harness.clock.advance(by: .seconds(10))
        let change = harness.clock.timeSource.now
        simulator.set(load: .ramp(fromWatts: 0, wattsPerSecond: 2), for: id)
        harness.clock.advance(by: .seconds(10))
        let end = harness.clock.timeSource.now
        #expect(simulator.power(of: id, at: start) == 1000)
        #expect(simulator.power(of: id, at: change) == 0)
        #expect(simulator.power(of: id, at: end) == 20)
        #expect(simulator.energy(of: id, from: start, to: end) == 10_100)
        #expect(simulator.energy(of: id, from: end, to: start) == -10_100)
        #expect(simulator.energy(of: id, from: change, to: change) == 0)
        simulator.set(load: .constant(watts: -3), for: id)
        #expect(simulator.power(of: id, at: end) == -3)
    }

    @Test func returnsNilForAnUnknownDevice() {
        let simulator = SimulatorHarness().simulator
        let now = TimePoint(wall: Date(), monotonic: .zero)
        #expect(simulator.power(of: DeviceID("?"), at: now) == nil)
        #expect(simulator.energy(of: DeviceID("?"), from: now, to: now) == nil)
    }
}
