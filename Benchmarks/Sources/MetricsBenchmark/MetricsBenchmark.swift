// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPMetrics

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// `MetricsBenchmark ROUNDS [FILE]`: prints `name value unit` lines, and writes the last exposition to the file.
@main
enum MetricsBenchmark {
    static func main() async throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
        let registry = Registry()
        let readings = try ReadingsCollector()
        try registry.register(readings)
        await measure("collector", rounds, registry) { readings.round.store($0, ordering: .relaxed) }

        let instruments = Registry()
        let gauges = try (0..<DeviceReadings.families).map { family in
            let gauges = try instruments.gauge(
                name: DeviceReadings.familyName(family),
                help: "A reading of a device.",
                labelNames: DeviceReadings.labelNames
            )
            return try (0..<DeviceReadings.devices).map { try gauges.with(values: DeviceReadings.labelValues($0)) }
        }
        await measure("instruments", rounds, instruments) { round in
            for (family, children) in gauges.enumerated() {
                for (device, child) in children.enumerated() {
                    child.set(DeviceReadings.value(device, family, round))
                }
            }
        }
        if let path = CommandLine.arguments.dropFirst(2).first {
            write(ExpositionFormat.text.encode(await instruments.gather().families), to: path)
        }
        let requests = try Registry().counter(
            name: "benchmark_requests_total",
            help: "Requests.",
            labelNames: ["handler", "code"]
        )
        let child = try requests.with("metrics", "200")
        increment(child, threads: 1)
        increment(child, threads: 2)
    }

    private static func measure(
        _ name: String,
        _ rounds: Int,
        _ registry: Registry,
        update: @Sendable (Int) -> Void
    ) async {
        var times: [Double] = []
        var gathers: [Double] = []
        var size = 0
        for round in 0..<rounds {
            update(round)
            let start = ContinuousClock.now
            let families = await registry.gather().families
            gathers.append(seconds(since: start))
            size = ExpositionFormat.text.encode(families).count
            times.append(seconds(since: start))
        }
        print("\(name) \(Int(Double(size) / median(times))) bytes/s")
        print("\(name)-gather \(Int(median(gathers) * 1e6)) microseconds")
        print("\(name)-size \(size) bytes")
    }

    private static func increment(_ child: Counter, threads: Int) {
        let increments = 10_000_000
        let times = (0..<5).map { _ in
            let start = ContinuousClock.now
            DispatchQueue.concurrentPerform(iterations: threads) { _ in
                for _ in 0..<increments { child.increment() }
            }
            return seconds(since: start)
        }
        print("increment-\(threads) \(Int(Double(threads * increments) / median(times))) increments/s")
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    static func seconds(since start: ContinuousClock.Instant) -> Double { (ContinuousClock.now - start) / .seconds(1) }

    static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }
}
