// SPDX-License-Identifier: MIT

import Synchronization
import WPCore

/// The standard `process_…` families, which describe the process itself, named as in all Prometheus client libraries.
///
/// A number that the system does not report has no sample. The system calls do not wait for devices, so they run during
/// a gather. They dominate its cost, so their results are reused for a short time.
public final class ProcessCollector: ImmediateCollector {
    private let rows: [FamilyRow<ProcessStatistics>]
    private let startTime: Double?
    private let maximumAge: Duration
    private let timeSource: any TimeSource
    private let read: @Sendable () -> ProcessStatistics
    private let last = Mutex<(time: Duration, families: [MetricFamily])?>(nil)

    /// Creates a collector for this process.
    /// - Parameter maximumAge: the maximum age of the numbers; zero to read them at each gather. The default, one
    ///   second, is well below any scrape interval.
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
        do throws(MetricError) {
            rows = try Self.rows()
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The families, including those that the system does not report.
    public var descriptors: [MetricDescriptor] { rows.map(\.descriptor) }

    /// The current numbers, at most `maximumAge` old.
    public func collectNow() -> [MetricFamily] {
        let now = timeSource.now.monotonic
        return last.withLock { last in
            if let last, now - last.time < maximumAge { return last.families }
            var statistics = read()
            statistics.startTime = startTime
            let families = rows.compactMap { row in
                row.value(statistics).map { MetricFamily(row.descriptor, value: $0) }
            }
            last = (now, families)
            return families
        }
    }

    private static func rows() throws(MetricError) -> [FamilyRow<ProcessStatistics>] {
        [
            try FamilyRow(
                "process_cpu_seconds_total",
                "Total user and system CPU time spent in seconds.",
                type: .counter,
                unit: "seconds"
            ) { $0.cpuSeconds },
            try FamilyRow("process_open_fds", "Number of open file descriptors.") { $0.openDescriptors },
            try FamilyRow("process_max_fds", "Maximum number of open file descriptors.") { $0.maximumDescriptors },
            try FamilyRow("process_virtual_memory_bytes", "Virtual memory size in bytes.", unit: "bytes") {
                $0.virtualMemoryBytes
            },
            try FamilyRow(
                "process_virtual_memory_max_bytes",
                "Maximum amount of virtual memory available in bytes.",
                unit: "bytes"
            ) { $0.maximumVirtualMemoryBytes },
            try FamilyRow("process_resident_memory_bytes", "Resident memory size in bytes.", unit: "bytes") {
                $0.residentMemoryBytes
            },
            try FamilyRow(
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
                unit: "seconds"
            ) { $0.startTime },
            try FamilyRow(
                "process_network_receive_bytes_total",
                "Number of bytes received in the network namespace of the process.",
                type: .counter,
                unit: "bytes"
            ) { $0.receivedBytes },
            try FamilyRow(
                "process_network_transmit_bytes_total",
                "Number of bytes sent in the network namespace of the process.",
                type: .counter,
                unit: "bytes"
            ) { $0.transmittedBytes },
        ]
    }
}
