// SPDX-License-Identifier: MIT

import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Measures how long three contenders take to save a cycle, at three fleet sizes.
@main enum StorageBenchmark {
    /// The number of cycles measured at one size.
    struct Plan {
        var devices: Int
        /// Enough cycles for SQLite to checkpoint its write-ahead log and reuse it instead of growing it.
        var warmUp: Int
        var cycles: Int
        /// The slow contender saves one cycle for this many cycles of the others.
        var filesEvery: Int
    }

    static let plans = [
        Plan(devices: 1, warmUp: 1500, cycles: 2000, filesEvery: 4),
        Plan(devices: 100, warmUp: 500, cycles: 1000, filesEvery: 50),
        Plan(devices: 10_000, warmUp: 6, cycles: 50, filesEvery: 25),
    ]
    static let cyclesPerDay = 86_400 / 5

    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { throw Failure(description: "usage: StorageBenchmark DIRECTORY") }
        print("| devices | contender | median ms | 10th to 90th percentile | ratio | KiB a cycle | MB a day |")
        print("|---|---|---|---|---|---|---|")
        for plan in plans { try await measure(plan, in: CommandLine.arguments[1]) }
    }

    static func measure(_ plan: Plan, in root: String) async throws {
        let directory = "\(root)/\(plan.devices)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let contenders: [any Contender] = [
            try await StoreContender(directory: directory + "/store"),
            try SQLiteContender(path: directory + "/sqlite.db"),
            try FilesContender(directory: directory + "/files"),
        ]
        var results = contenders.map { _ in Series() }
        var last = [0, 0, 0]
        for cycle in 0..<plan.warmUp + plan.cycles {
            let records = Fleet.records(plan.devices, cycle: cycle)
            // Alternates the order, because one save can slow down the next.
            for index in cycle % 2 == 0 ? [0, 1] : [1, 0] {
                let sample = try await Sample.of { try await contenders[index].save(records) }
                last[index] = cycle
                if cycle >= plan.warmUp { results[index].samples.append(sample) }
            }
        }
        // Measured separately, because its renames cause journal writes that would delay the other contenders.
        for cycle in 0...plan.cycles / plan.filesEvery {
            let records = Fleet.records(plan.devices, cycle: cycle)
            let sample = try await Sample.of { try await contenders[2].save(records) }
            last[2] = cycle
            if cycle > 0 { results[2].samples.append(sample) }
        }
        for (index, contender) in contenders.enumerated() {
            let expected = Fleet.records(plan.devices, cycle: last[index])
            let found = try await contender.joules()
            guard found == Dictionary(uniqueKeysWithValues: expected.map { ($0.key.device.rawValue, $0.total.joules) })
            else { throw Failure(description: "\(type(of: contender).name) has lost a cycle") }
        }
        let best = results[0].milliseconds(0.5)
        for (contender, result) in zip(contenders, results) {
            let median = result.milliseconds(0.5)
            let columns = [
                "\(plan.devices)", type(of: contender).name, text(median, 3),
                "\(text(result.milliseconds(0.1), 3)) to \(text(result.milliseconds(0.9), 3))",
                text(median / best, 2), text(result.bytes / 1024, 1),
                text(result.bytes * Double(cyclesPerDay) / 1e6, 0),
            ]
            print("| " + columns.joined(separator: " | ") + " |")
        }
        try FileManager.default.removeItem(atPath: directory)
    }

    static func text(_ value: Double, _ decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return decimals == 0 ? String(Int(rounded)) : rounded.description
    }
}

/// The measurements of one contender.
struct Series {
    var samples: [Sample] = []

    /// The mean number of bytes written to disk.
    var bytes: Double { samples.map { Double($0.bytes) }.reduce(0, +) / Double(max(1, samples.count)) }

    func milliseconds(_ quantile: Double) -> Double {
        let sorted = samples.map {
            Double($0.duration.components.attoseconds) / 1e15 + Double($0.duration.components.seconds) * 1e3
        }.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * quantile))]
    }
}

/// The measurement of one save.
struct Sample {
    var duration: Duration
    var bytes: Int

    static func of(_ body: () async throws -> Void) async rethrows -> Sample {
        let bytes = written
        let start = ContinuousClock.now
        try await body()
        return Sample(duration: start.duration(to: .now), bytes: written - bytes)
    }

    /// The bytes that this process has written to disks, from `/proc/self/io`.
    private static var written: Int {
        guard let text = try? String(contentsOf: URL(filePath: "/proc/self/io"), encoding: .utf8) else { return 0 }
        let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes: ") }
        return line.flatMap { Int($0.dropFirst("write_bytes: ".count)) } ?? 0
    }
}

/// Records like those of a meter, different in each cycle.
enum Fleet {
    static func records(_ devices: Int, cycle: Int) -> [EnergyRecord] {
        (0..<devices).map { index in
            let seconds = Double(cycle) * 5
            let watts = 150 + Double((index * 7919 + cycle * 104_729) % 1000) / 10
            return EnergyRecord(
                key: EnergyKey(device: DeviceID(identifier(index))),
                total: EnergyTotal(joules: 5e8 + seconds * watts / 3, meteredSeconds: seconds, gapSeconds: 12.5),
                compensationJoules: -1.1e-9 * Double(index % 7),
                lastSample: .init(wall: Date(timeIntervalSince1970: 1_750_000_000.25 + seconds), watts: watts)
            )
        }
    }

    /// An identifier as long as a UUID, which WinPower uses.
    private static func identifier(_ index: Int) -> String {
        let digits = String(index, radix: 16)
        return "e156e6cb-42cb-4b35-" + String(repeating: "0", count: 17 - digits.count) + digits
    }
}
