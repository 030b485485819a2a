// SPDX-License-Identifier: MIT

#if os(Linux)
// Linux provides the numbers as text in /proc (proc(5)).
extension ProcessStatistics {
    @Sendable static func current() -> ProcessStatistics {
        var statistics = ProcessStatistics()
        if let stat = ProcFile.text("/proc/self/stat") { statistics.readStat(stat) }
        if let limits = ProcFile.text("/proc/self/limits") { statistics.readLimits(limits) }
        if let netstat = ProcFile.text("/proc/self/net/netstat") { statistics.readNetstat(netstat) }
        statistics.openDescriptors = ProcFile.openDescriptorCount().map(Double.init)
        return statistics
    }

    /// The start of the process: boot time plus ticks.
    static func startTime() -> Double? {
        guard let start = ProcFile.text("/proc/self/stat").flatMap({ ProcStat($0) })?.startAfterBoot,
            let boot = ProcFile.text("/proc/stat").flatMap({ ProcFile.lines(of: $0, startingWith: "btime ").first }),
            let bootTime = Double(Substring(boot.dropFirst("btime ".utf8.count)))
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
        let lines = ProcFile.lines(of: text, startingWith: "IpExt:")
        guard lines.count == 2 else { return }
        for (name, value) in zip(ProcFile.words(of: lines[0]), ProcFile.words(of: lines[1])) {
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
