// SPDX-License-Identifier: MIT

import Fixtures
import WPHost
import WPMetrics

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Prints this machine, or a tree like its /proc and /sys, as an exposition, and with `--cost` the cost of a sample:
/// `wp-host-probe [--path.procfs DIR] [--path.sysfs DIR] [--path.rootfs DIR] [--cost COUNT]`, with node_exporter's
/// exclusion flags. `wp-host-probe --write server|old|damaged DIR` creates such a tree.
@main
enum HostProbe {
    static func main() async throws {
        var configuration = HostConfiguration()
        var rounds: Int?
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--path.procfs": configuration.procfs = arguments.popFirst() ?? ""
            case "--path.sysfs": configuration.sysfs = arguments.popFirst() ?? ""
            case "--path.rootfs": configuration.rootfs = arguments.popFirst() ?? ""
            case "--collector.filesystem.mount-points-exclude":
                configuration.excludedMountPoints = try NamePattern(arguments.popFirst() ?? "")
            case "--collector.filesystem.fs-types-exclude":
                configuration.excludedFilesystemTypes = try NamePattern(arguments.popFirst() ?? "")
            case "--collector.diskstats.device-exclude":
                configuration.excludedDisks = try NamePattern(arguments.popFirst() ?? "")
            case "--collector.netstat.fields":
                configuration.includedNetstatFields = try NamePattern(arguments.popFirst() ?? "")
            case "--collector.textfile.directory": configuration.textFileDirectory = arguments.popFirst()
            case "--write":
                guard let fixture = HostFixture(rawValue: arguments.popFirst() ?? ""), let path = arguments.popFirst()
                else { throw UsageError() }
                try fixture.write(to: path)
                return
            case "--cost": rounds = arguments.popFirst().flatMap { Int($0) }
            default: throw UsageError()
            }
        }
        let sampler = HostSampler(configuration)
        if let rounds { return await printCost(sampler, rounds) }
        await sampler.sample()
        let collector = NodeMetricsCollector { sampler.current }
        let families = collector.collectNow().sorted { $0.name < $1.name }
        print(String(decoding: TextFormat.encode(families), as: UTF8.self), terminator: "")
        for change in CollectorJournal.initial(sampler.current) { print("# " + change) }
    }

    /// Prints the processor time per sample of each group in milliseconds, the median of all rounds.
    private static func printCost(_ sampler: HostSampler, _ rounds: Int) async {
        for group in HostSampleGroup.allCases {
            var costs: [Double] = []
            for _ in 0..<(rounds + 1) {
                let start = processorTime
                await sampler.sample([group])
                costs.append(processorTime - start)
            }
            // The first round opens directories and fills caches.
            let sorted = costs.dropFirst().sorted()
            print("\(group.rawValue) \(sorted[sorted.count / 2] * 1000) ms")
        }
        if let table = sampler.current.processes { print("\(table.count) processes") }
        let collector = NodeMetricsCollector { sampler.current }
        let start = processorTime
        let count = collector.collectNow().reduce(0) { $0 + $1.metrics.count }
        print("families \((processorTime - start) * 1000) ms, \(count) series")
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    private struct UsageError: Error, CustomStringConvertible {
        let description =
            "usage: wp-host-probe [--path.procfs DIR] [--path.sysfs DIR] [--path.rootfs DIR] [--cost COUNT]"
    }
}

extension CollectorJournal {
    /// The lines that a new journal reports for a sample.
    fileprivate static func initial(_ sample: HostSample) -> [String] {
        var journal = CollectorJournal()
        return journal.changes(in: sample).flatMap { change in
            switch change {
            case .failed(let name, let faults): faults.map { "\(name.rawValue): \($0)" }
            case .recovered(let name): ["\(name.rawValue): recovered"]
            }
        }
    }
}
