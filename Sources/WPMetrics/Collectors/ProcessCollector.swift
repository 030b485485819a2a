// SPDX-License-Identifier: MIT

/// The standard families of the process itself, `process_…`, under the names that all Prometheus libraries use.
///
/// A number that the system does not give has no sample. Reading them takes some twenty microseconds of system calls
/// that wait for no device, which is why it happens in the gather and not on a thread of its own.
public struct ProcessCollector: ImmediateCollector {
    private struct Source: Sendable {
        let descriptor: MetricDescriptor
        let value: @Sendable (ProcessStatistics) -> Double?
    }

    private let sources: [Source]
    private let startTime: Double?
    private let read: @Sendable () -> ProcessStatistics

    /// Creates a collector for this process.
    public init() {
        self.init(read: ProcessStatistics.current, startTime: ProcessStatistics.startTime())
    }

    init(read: @escaping @Sendable () -> ProcessStatistics, startTime: Double?) {
        self.read = read
        self.startTime = startTime
        sources = Self.families.compactMap { name, help, type, unit, value in
            // The names are constants below, which a test registers: none is invalid.
            guard
                let descriptor = try? MetricDescriptor(name: name, help: help, type: type, unit: unit, labelNames: [])
            else { return nil }
            return Source(descriptor: descriptor, value: value)
        }
    }

    /// The families, whether or not the system gives all of them.
    public var descriptors: [MetricDescriptor] { sources.map(\.descriptor) }

    /// The numbers as they are now.
    public func collectNow() -> [MetricFamily] {
        var statistics = read()
        statistics.startTime = startTime
        return sources.compactMap { source in
            source.value(statistics).map { MetricFamily(source.descriptor, value: $0) }
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
