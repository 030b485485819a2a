// SPDX-License-Identifier: MIT

import WPHistory
import WPLogging
import WPModel
import WPSimulator

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A plausible past for the demo: thirty days of the simulator's own loads, with a power cut now and then and a night on
/// which nothing was read, so that charts show what they can.
enum DemoHistory {
    private static let interval: Int64 = 300
    private static let days: Int64 = 30
    private static let samplesPerBucket = 60
    /// More devices than this have no past: filling it would take longer than people wait.
    private static let maxDevices = 50

    /// Fills a history's file that does not exist yet.
    static func fill(_ path: String, from simulator: WinPowerSimulator, now: TimePoint) async throws {
        let store = try await SQLiteHistoryStore.open(.init(path: path, syncWrites: false), logger: .silent)
        let end = HistoryBucket.start(of: Int64(now.secondsSince1970), step: interval)
        for (index, id) in simulator.deviceIDs.prefix(maxDevices).enumerated() {
            let subject = HistorySubject(kind: .ups, name: id.rawValue)
            let past = Past(simulator, id, index: Int64(index), now: now)
            let buckets = stride(from: end - days * 86_400, to: end, by: Int(interval)).compactMap(past.bucket)
            try await store.write(
                HistoryBatch(
                    buckets: buckets.map { (subject, $0) },
                    subjects: [HistorySubjectState(subject: subject, lastSample: Double(end))]
                )
            )
        }
        await store.close()
    }

    /// What one device did.
    private struct Past {
        private let simulator: WinPowerSimulator
        private let id: DeviceID
        private let index: Int64
        private let now: TimePoint
        private let fullWatts: Double

        init(_ simulator: WinPowerSimulator, _ id: DeviceID, index: Int64, now: TimePoint) {
            self.simulator = simulator
            self.id = id
            self.index = index
            self.now = now
            fullWatts = simulator.ratedWatts(of: id) ?? 1000
        }

        /// Nil where nothing was read: two hours, nine days ago.
        func bucket(_ start: Int64) -> HistoryBucket? {
            let day = start / 86_400
            let ago = Int64(now.secondsSince1970) / 86_400 - day
            let second = start % 86_400
            if ago == 9, (7200..<14_400).contains(second) { return nil }
            let watts = (joules(start, start + interval) ?? 0) / Double(interval)
            let edges = [0, interval / 2, interval].compactMap { self.watts(at: start + $0) } + [watts]
            let battery = battery(ago, second)
            let wave = simulatedWave(start)
            var bucket = HistoryBucket(start: start, seconds: interval, samples: samplesPerBucket)
            func add(_ quantity: HistoryQuantity, _ average: Double, _ low: Double, _ high: Double) {
                bucket.aggregates.append(
                    .init(quantity, count: samplesPerBucket, average: average, minimum: low, maximum: high)
                )
            }
            let (low, high) = ((edges.min() ?? watts) * 0.97, (edges.max() ?? watts) * 1.03)
            add(.loadPercent, watts / fullWatts * 100, low / fullWatts * 100, high / fullWatts * 100)
            add(.loadWatts, watts, low, high)
            add(.batteryPercent, battery.percent, battery.percent - battery.spread, battery.percent)
            let runtime = battery.percent / 100 * 3600 * min(3, fullWatts / max(watts, 50) / 2)
            add(.batteryRuntime, runtime, runtime * 0.95, runtime * 1.04)
            let input = battery.isDischarging ? 0 : 229 + 3 * wave
            add(.inputVolts, input, max(0, input - 1.5), input == 0 ? 0 : input + 1.5)
            add(.outputVolts, 230 + 0.3 * wave, 229.4 + 0.3 * wave, 230.5 + 0.3 * wave)
            let celsius = 25 + 2 * wave + watts / fullWatts * 8
            add(.temperature, celsius, celsius - 0.4, celsius + 0.4)
            add(.onBattery, battery.isDischarging ? 1 : 0, battery.isDischarging ? 1 : 0, battery.isDischarging ? 1 : 0)
            add(.energy, watts * Double(interval) / 3600, 0, 0)
            return bucket
        }

        /// Every eight days, on another day for each device, the power is off for a quarter of an hour.
        private func battery(_ ago: Int64, _ second: Int64) -> (percent: Double, spread: Double, isDischarging: Bool) {
            let since = second - 50_400
            guard (ago + index * 3) % 8 == 2, (0..<10_800).contains(since) else { return (100, 0, false) }
            if since < 900 { return (100 - Double(since + interval) / 900 * 40, 13, true) }
            return (min(100, 60 + Double(since - 900) / 9900 * 40), 1.2, false)
        }

        /// From -1 to 1 over a day, shifted for each device.
        private func simulatedWave(_ start: Int64) -> Double {
            let turn = Double((start + index * 4000) % 86_400) / 86_400
            return turn < 0.5 ? turn * 4 - 1 : 3 - turn * 4
        }

        private func point(_ time: Int64) -> TimePoint {
            let back = Duration.seconds(Double(time) - now.secondsSince1970)
            return TimePoint(wall: Date(timeIntervalSince1970: Double(time)), monotonic: now.monotonic + back)
        }

        private func watts(at time: Int64) -> Double? { simulator.power(of: id, at: point(time)) }

        private func joules(_ from: Int64, _ to: Int64) -> Double? {
            simulator.energy(of: id, from: point(from), to: point(to))
        }
    }
}
