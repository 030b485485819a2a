// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin

// macOS provides the numbers through libproc, which has no network bytes per process.
extension ProcessStatistics {
    @Sendable static func current() -> ProcessStatistics {
        var statistics = ProcessStatistics()
        var usage = rusage()
        if getrusage(RUSAGE_SELF, &usage) == 0 {
            statistics.cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }
        statistics.maximumDescriptors = softLimit(RLIMIT_NOFILE)
        statistics.maximumVirtualMemoryBytes = softLimit(RLIMIT_AS)
        var task = proc_taskinfo()
        let size = Int32(MemoryLayout<proc_taskinfo>.size)
        if proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &task, size) == size {
            statistics.virtualMemoryBytes = Double(task.pti_virtual_size)
            statistics.residentMemoryBytes = Double(task.pti_resident_size)
        }
        statistics.openDescriptors = openDescriptorCount()
        return statistics
    }

    /// The start of the process.
    static func startTime() -> Double? {
        var process = proc_bsdinfo()
        let size = Int32(MemoryLayout<proc_bsdinfo>.size)
        guard proc_pidinfo(getpid(), PROC_PIDTBSDINFO, 0, &process, size) == size else { return nil }
        return Double(process.pbi_start_tvsec) + Double(process.pbi_start_tvusec) / 1_000_000
    }

    private static func openDescriptorCount() -> Double? {
        let entry = MemoryLayout<proc_fdinfo>.stride
        let expected = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, nil, 0)
        guard expected > 0 else { return nil }
        // With room for descriptors opened in the meantime.
        var entries = [proc_fdinfo](repeating: proc_fdinfo(), count: Int(expected) / entry + 32)
        let size = proc_pidinfo(getpid(), PROC_PIDLISTFDS, 0, &entries, Int32(entries.count * entry))
        return size > 0 ? Double(Int(size) / entry) : nil
    }

    private static func softLimit(_ resource: Int32) -> Double? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Double(limit.rlim_cur) : nil
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}
#endif
