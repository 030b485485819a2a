// SPDX-License-Identifier: MIT

import Synchronization
import WPCore

/// The standard families of the process itself, `process_…`, with the same names as in all Prometheus client libraries.
///
/// A number that the system does not report has no sample. The system calls do not wait for devices, so they run in the
/// gather; because they dominate its cost, a gather soon after another reuses its numbers.
public final class ProcessCollector: ImmediateCollector {
    private struct Source: Sendable {
        let descriptor: MetricDescriptor
        let value: @Sendable (ProcessStatistics) -> Double?
    }

    private let sources: [Source]
    private let startTime: Double?
    private let maximumAge: Duration
    private let timeSource: any TimeSource
    private let read: @Sendable () -> ProcessStatistics
    private let last = Mutex<(time: Duration, families: [MetricFamily])?>(nil)

    /// Creates a collector for this process.
    /// - Parameter maximumAge: the maximum age of the numbers; zero to read them at each gather. The default, a second,
    ///   is well below any scrape interval.
    public convenience init(maximumAge: Duration = .seconds(1)) {
        self.init(
            read: ProcessStatistics.current,
            startTime: ProcessStatistics.startTime(),
            maximumAge: maximumAge,
            timeSource: .system
        )
    }

    init(
        read: @escaping @Sendable () -> ProcessStatistics,
        startTime: Double?,
        maximumAge: Duration,
        timeSource: any TimeSource
    ) {
        self.read = read
        self.startTime = startTime
        self.maximumAge = maximumAge
        self.timeSource = timeSource
        sources = Self.families.compactMap { name, help, type, unit, value in
            // The names are constants below, which a test registers.
            guard
                // lint: constants, all of which a test registers
                let descriptor = try? MetricDescriptor(name: name, help: help, type: type, unit: unit, labelNames: [])
            else { return nil }
            return Source(descriptor: descriptor, value: value)
        }
    }

    /// The families, including those that the system does not report.
    public var descriptors: [MetricDescriptor] { sources.map(\.descriptor) }

    /// The current numbers, at most `maximumAge` old.
    public func collectNow() -> [MetricFamily] {
        let now = timeSource.now.monotonic
        return last.withLock { last in
            if let last, now - last.time < maximumAge { return last.families }
            var statistics = read()
            statistics.startTime = startTime
            let families = sources.compactMap { source in
                source.value(statistics).map { MetricFamily(source.descriptor, value: $0) }
            }
            last = (now, families)
            return families
        }
    }

    private typealias Row = (
        name: String, help: String, type: MetricType, unit: String?, value: @Sendable (ProcessStatistics) -> Double?
    )

    private static var families: [Row] {
        [
            (
                "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", .counter, "seconds",
                { $0.cpuSeconds }
            ),
            ("process_open_fds", "Number of open file descriptors.", .gauge, nil, { $0.openDescriptors }),
            ("process_max_fds", "Maximum number of open file descriptors.", .gauge, nil, { $0.maximumDescriptors }),
            (
                "process_virtual_memory_bytes", "Virtual memory size in bytes.", .gauge, "bytes",
                { $0.virtualMemoryBytes }
            ),
            (
                "process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.", .gauge,
                "bytes", { $0.maximumVirtualMemoryBytes }
            ),
            (
                "process_resident_memory_bytes", "Resident memory size in bytes.", .gauge, "bytes",
                { $0.residentMemoryBytes }
            ),
            (
                "process_start_time_seconds", "Start time of the process since unix epoch in seconds.", .gauge,
                "seconds", { $0.startTime }
            ),
            (
                "process_network_receive_bytes_total",
                "Number of bytes received in the network namespace of the process.", .counter, "bytes",
                { $0.receivedBytes }
            ),
            (
                "process_network_transmit_bytes_total",
                "Number of bytes sent in the network namespace of the process.", .counter, "bytes",
                { $0.transmittedBytes }
            ),
        ]
    }
}
