// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPCore
@testable import WPExporter
import WPModel
import WPProgram
import WPSimulator
import WPTestKit

/// The energy that the exporter exposes, compared with the trapezoidal integral of the served power.
@Suite("Energy from WinPower's reply to the scrape", .timeLimit(.minutes(2)))
struct EnergyErrorTests {
    private static let power = "winpower_device_load_total_watts"
    private static let energy = "winpower_device_energy_joules_total"

    @Test func matchesTheServedPowerAcrossRestarts() async throws {
        let clock = TestClock()
        let (interval, cycles) = (5.0, 60)
        var directory: TemporaryDirectory?
        var last: [String: Double] = [:]
        var expected: [String: Double] = [:]
        for _ in 0..<3 {
            let stack = try await Stack(
                SimulatorConfiguration(deviceCount: 4, seed: 17),
                parts: Exporter.Parts(program: ProgramParts(timeSource: clock.timeSource)),
                directory: directory
            )
            for _ in 0..<cycles {
                clock.advance(by: .seconds(interval))
                #expect(await stack.cycle() == .success)
                // The decoded power; DeviceDecodingTests check that it equals the sent power.
                for reading in stack.exporter.snapshot.readings {
                    let (id, watts) = (reading.device.id.rawValue, try #require(reading.load.watts))
                    if let before = last.updateValue(watts, forKey: id) {
                        expected[id, default: 0] += (before + watts) / 2 * interval
                    }
                }
            }
            let families = try await stack.scrape()
            #expect(expected.count == 4)
            for (id, joules) in expected {
                #expect(families.value(Self.power, ["device_id": id]) == last[id])
                let shown = try #require(families.value(Self.energy, ["device_id": id]))
                #expect(abs(shown / joules - 1) < 1e-9)
            }
            directory = try await stack.stop()
        }
    }
}
