// SPDX-License-Identifier: MIT

import WPCore
import WPHistory
import WPLogging
import WPModel
import WPSimulator

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A plausible history for the demo: thirty days of the simulator's loads, with occasional power cuts and a gap of
/// two hours. The batteries are still recovering from the last power cut.
enum DemoHistory {
    private static let interval: Int64 = 300
    private static let days: Int64 = 30
    private static let samplesPerBucket = 60
    /// The maximum number of devices with a history: generating more would take too long.
    private static let maxDevices = 50

    /// Creates the history file and fills it.
    /// - Returns: the energy of the simulated history.
    static func fill(_ path: String, from simulator: WinPowerSimulator, now: TimePoint) async throws -> [EnergyRecord] {
        let store = try await SQLiteHistoryStore.open(.init(path: path, syncWrites: false), logger: .silent)
        let end = HistoryBucket.start(of: Int64(now.secondsSince1970), step: interval)
        let ids = simulator.deviceIDs.prefix(maxDevices)
        var total: [Int64: HistoryBucket] = [:]
        var events: [HistoryEvent] = []
        var records: [EnergyRecord] = []
        for (index, id) in ids.enumerated() {
            let subject = HistorySubject(kind: .ups, name: id.rawValue)
            let simulated = SimulatedDays(simulator, id, index: Int64(index), now: now)
            let buckets = stride(from: end - days * 86_400, to: end, by: Int(interval)).compactMap(simulated.bucket)
            for bucket in buckets { add(bucket, to: &total, devices: ids.count) }
            let wattHours = buckets.compactMap { $0[.energy]?.average }.reduce(0, +)
            let metered = Double(buckets.count) * Double(interval)
            records.append(
                EnergyRecord(
                    key: EnergyKey(device: id),
                    total: EnergyTotal(joules: wattHours * 3600, meteredSeconds: metered)
                )
            )
            events += simulated.outages(buckets).map {
                HistoryEvent(.init(subject, .onBattery), start: $0.start, end: $0.end)
            }
            try await store.write(
                HistoryBatch(
                    buckets: buckets.map { (subject, $0) },
                    subjects: [HistorySubjectState(subject: subject, lastSample: Double(end))]
                )
            )
        }
        try await store.write(
            HistoryBatch(
                buckets: total.values.sorted { $0.start < $1.start }.map { (.fleet, $0) },
                subjects: [HistorySubjectState(subject: .fleet, lastSample: Double(end))]
            )
        )
        try await store.write(events)
        await store.close()
        return records
    }

    /// Adds a device's power to the total.
    private static func add(_ bucket: HistoryBucket, to total: inout [Int64: HistoryBucket], devices: Int) {
        guard let watts = bucket[.loadWatts], let battery = bucket[.onBattery] else { return }
        var sum =
            total[bucket.start] ?? HistoryBucket(start: bucket.start, seconds: interval, samples: samplesPerBucket)
        func sums(_ quantity: HistoryQuantity, _ part: HistoryBucket.Aggregate, _ share: Double) {
            let before = sum[quantity]
            sum.aggregates.removeAll { $0.quantity == quantity }
            sum.aggregates.append(
                .init(
                    quantity,
                    count: samplesPerBucket,
                    average: (before?.average ?? 0) + part.average * share,
                    minimum: (before?.minimum ?? 0) + part.minimum * share,
                    maximum: (before?.maximum ?? 0) + part.maximum * share
                )
            )
        }
        sums(.loadWatts, watts, 1)
        sums(.onBattery, battery, 1 / Double(devices))
        total[bucket.start] = sum
    }

    /// The simulated history of one device.
    private struct SimulatedDays {
        private let simulator: WinPowerSimulator
        private let id: DeviceID
        private let index: Int64
        private let now: TimePoint
        private let fullWatts: Double
        /// The current charge of the battery in percent.
        private let charge: Double

        /// The charging rate of the simulator, in percent per second.
        private static let charging = 25.0 / 3600
        /// The duration of a power cut, and the time since the last one ended, in seconds.
        private static let (cut, recovery) = (900.0, 4320.0)

        init(_ simulator: WinPowerSimulator, _ id: DeviceID, index: Int64, now: TimePoint) {
            self.simulator = simulator
            self.id = id
            self.index = index
            self.now = now
            fullWatts = simulator.ratedWatts(of: id) ?? 1000
            charge = simulator.charge(of: id, at: now) ?? 100
        }

        /// The bucket that begins at a time; nil during a gap of two hours, nine days ago.
        func bucket(_ start: Int64) -> HistoryBucket? {
            let day = start / 86_400
            let ago = Int64(now.secondsSince1970) / 86_400 - day
            let second = start % 86_400
            if ago == 9, (7200..<14_400).contains(second) { return nil }
            let watts = (joules(start, start + interval) ?? 0) / Double(interval)
            let edges = [0, interval / 2, interval].compactMap { self.watts(at: start + $0) } + [watts]
            let battery = battery(start)
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
            // The same formulas as in the simulator: for example, a battery lasts 540 s at full load.
            let runtime = battery.percent / 100 * 540 * fullWatts / max(watts, 50)
            add(.batteryRuntime, runtime, runtime * 0.95, runtime * 1.04)
            let input = battery.isDischarging ? 0 : 231 + 2 * wave
            add(.inputVolts, input, max(0, input - 3), input == 0 ? 0 : input + 3)
            add(.outputVolts, 220 + 0.1 * wave, 219.6, 220.4)
            let celsius = 24 + wave + watts / fullWatts * 7.2
            add(.temperature, celsius, celsius - 0.5, celsius + 0.5)
            add(.onBattery, battery.isDischarging ? 1 : 0, battery.isDischarging ? 1 : 0, battery.isDischarging ? 1 : 0)
            add(.energy, watts * Double(interval) / 3600, 0, 0)
            return bucket
        }

        /// The spans of buckets on battery.
        func outages(_ buckets: [HistoryBucket]) -> [(start: Int64, end: Int64)] {
            var found: [(start: Int64, end: Int64)] = []
            for bucket in buckets where bucket[.onBattery]?.average == 1 {
                if let last = found.last, last.end == bucket.start {
                    found[found.count - 1].end = bucket.end
                } else {
                    found.append((bucket.start, bucket.end))
                }
            }
            return found
        }

        /// The battery in the interval that begins at a time: it recharges after the last power cut, and after one
        /// every eight days, on a different day for each device.
        private func battery(_ start: Int64) -> (percent: Double, spread: Double, isDischarging: Bool) {
            let ago = now.secondsSince1970 - Double(start)
            if ago < Self.recovery + Self.cut {
                return battery(since: Self.recovery + Self.cut - ago, lowest: charge - Self.recovery * Self.charging)
            }
            let days = Int64(now.secondsSince1970) / 86_400 - start / 86_400
            return (days + index * 3) % 8 == 2
                ? battery(since: Double(start % 86_400) - 50_400, lowest: 60) : (100, 0, false)
        }

        /// The battery this many seconds after the power cut began.
        private func battery(since: Double, lowest: Double) -> (percent: Double, spread: Double, isDischarging: Bool) {
            guard since >= 0 else { return (100, 0, false) }
            let step = Double(interval)
            if since < Self.cut {
                let slope = (100 - lowest) / Self.cut
                return (100 - slope * (since + step / 2), slope * step / 2, true)
            }
            let percent = lowest + (since - Self.cut) * Self.charging
            return percent < 100 ? (percent, step * Self.charging / 2, false) : (100, 0, false)
        }

        /// A daily wave from -1 to 1, shifted for each device.
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
