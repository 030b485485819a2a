// SPDX-License-Identifier: MIT

#if os(Linux)
// Linux has everything in /proc (proc(5)), as text.
extension ProcessStatistics {
    @Sendable static func current() -> ProcessStatistics {
        var statistics = ProcessStatistics()
        if let stat = ProcFile.text("/proc/self/stat") { statistics.readStat(stat) }
        if let limits = ProcFile.text("/proc/self/limits") { statistics.readLimits(limits) }
        if let netstat = ProcFile.text("/proc/self/net/netstat") { statistics.readNetstat(netstat) }
        statistics.openDescriptors = ProcFile.countOfOpenDescriptors().map(Double.init)
        return statistics
    }

    /// The start of the process: the time of boot, and the ticks since then.
    static func startTime() -> Double? {
        guard let start = ProcFile.text("/proc/self/stat").flatMap({ ProcStat($0) })?.startAfterBoot,
            let boot = ProcFile.text("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let bootTime = Double(boot.dropFirst("btime ".count))
        else { return nil }
        return bootTime + start
    }

    mutating func readStat(_ text: String) {
        guard let stat = ProcStat(text) else { return }
        cpuSeconds = stat.cpuSeconds
        virtualMemoryBytes = stat.virtualMemoryBytes
        residentMemoryBytes = stat.residentMemoryBytes
    }

    mutating func readLimits(_ text: String) {
        maximumDescriptors = Self.softLimit("Max open files", in: text)
        maximumVirtualMemoryBytes = Self.softLimit("Max address space", in: text)
    }

    /// Two lines per protocol: the names, then the values.
    mutating func readNetstat(_ text: String) {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("IpExt:") }
        guard lines.count == 2 else { return }
        let values = lines[1].split(separator: " ")
        for (name, value) in zip(lines[0].split(separator: " "), values) {
            switch name {
            case "InOctets": receivedBytes = Double(value)
            case "OutOctets": transmittedBytes = Double(value)
            default: break
            }
        }
    }

    private static func softLimit(_ name: String, in limits: String) -> Double? {
        guard let soft = ProcFile.softLimit(name, in: limits) else { return nil }
        return soft == "unlimited" ? Double(UInt64.max) : Double(soft)
    }
}
#endif
