// SPDX-License-Identifier: MIT

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Linux tells everything in /proc (proc(5)), as text.
extension ProcessStatistics {
    @Sendable static func current() -> ProcessStatistics {
        var statistics = ProcessStatistics()
        if let stat = ProcFile.text("/proc/self/stat") { statistics.readStat(stat) }
        if let limits = ProcFile.text("/proc/self/limits") { statistics.readLimits(limits) }
        if let netstat = ProcFile.text("/proc/self/net/netstat") { statistics.readNetstat(netstat) }
        statistics.openDescriptors = ProcFile.countOfOpenDescriptors().map(Double.init)
        return statistics
    }

    /// The start of the process: its ticks after boot, and the time of boot.
    static func startTime() -> Double? {
        guard let stat = ProcFile.text("/proc/self/stat"), let ticks = number(22, of: stat),
            let boot = ProcFile.text("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let bootTime = Double(boot.dropFirst("btime ".count)), let ticksPerSecond
        else { return nil }
        return bootTime + ticks / ticksPerSecond
    }

    mutating func readStat(_ text: String) {
        if let user = Self.number(14, of: text), let system = Self.number(15, of: text),
            let ticksPerSecond = Self.ticksPerSecond
        {
            cpuSeconds = (user + system) / ticksPerSecond
        }
        virtualMemoryBytes = Self.number(23, of: text)
        let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
        if pageSize > 0 { residentMemoryBytes = Self.number(24, of: text).map { $0 * pageSize } }
    }

    mutating func readLimits(_ text: String) {
        for line in text.split(separator: "\n") {
            if line.hasPrefix("Max open files") {
                maximumDescriptors = Self.softLimit(line.dropFirst("Max open files".count))
            } else if line.hasPrefix("Max address space") {
                maximumVirtualMemoryBytes = Self.softLimit(line.dropFirst("Max address space".count))
            }
        }
    }

    /// Two lines a protocol: the names, then the values.
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

    private static var ticksPerSecond: Double? {
        let ticks = sysconf(Int32(_SC_CLK_TCK))
        return ticks > 0 ? Double(ticks) : nil
    }

    /// A field of `/proc/self/stat`, counted from 1 as proc(5) does. The second one is the program's name, which may
    /// hold blanks and parentheses: the fields after it begin behind the last parenthesis.
    private static func number(_ field: Int, of stat: String) -> Double? {
        guard let parenthesis = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: parenthesis)...].split(separator: " ")
        let index = field - 3
        guard fields.indices.contains(index) else { return nil }
        return Double(fields[index])
    }

    private static func softLimit(_ columns: Substring) -> Double? {
        guard let soft = columns.split(separator: " ").first else { return nil }
        return soft == "unlimited" ? Double(UInt64.max) : Double(soft)
    }
}
#endif
