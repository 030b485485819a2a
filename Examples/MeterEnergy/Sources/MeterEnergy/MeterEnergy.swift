// SPDX-License-Identifier: MIT

import WPCore
import WPEnergy
import WPLogging
import WPModel
import WPStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Meters the energy of any source of power values: `meter-energy DIRECTORY`.
///
/// Each line of the input is a time in seconds since 1970 and a power in watts, as a data logger writes them. A power
/// that is not a number is a gap. The total persists across restarts.
@main
struct MeterEnergy {
    static func main() async throws {
        let system = try LoggingSystem(LoggingConfiguration(level: .warn, output: .standardError))
        let directory = CommandLine.arguments.dropFirst().first ?? "energy"
        let store = try await FileEnergyStore.open(.init(directory: directory), logger: system.logger)
        let meter = try await TrapezoidEnergyMeter(
            configuration: .init(maxGap: .seconds(60)),
            store: store,
            logger: system.logger
        )
        let device = DeviceID("solar-roof")
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard words.count == 2, let seconds = Double(words[0]) else { continue }
            let time = TimePoint(wall: Date(timeIntervalSince1970: seconds), monotonic: .seconds(seconds))
            // `record` writes a batch durably; if that fails, it reports the error and keeps the total in memory.
            let update = await meter.record([PowerSample(device: device, time: time, watts: Double(words[1]))])
            if let failure = update.saveFailure { print("not saved: \(failure.message)") }
        }
        try await meter.flush()
        let total = await meter.totals()[device] ?? EnergyTotal()
        print("\(total.wattHours) Wh in \(total.meteredSeconds) s, \(total.gapSeconds) s without a value")
        await store.close()
        system.flush()
    }
}
