// SPDX-License-Identifier: MIT

/// One process.
package struct ProcessSample: Sendable, Hashable {
    /// The PID.
    package let pid: Int
    /// Its name: any bytes; those that are not UTF-8 are written as `\xNN`.
    package let name: String
    /// The complete command line; nil unless enabled, and for kernel threads.
    package let commandLine: String?
    /// The user that it runs as, from the host's passwd file, or else the UID; nil if the process has ended.
    package let user: String?
    /// The kernel's letter for its state, such as `R` and `S` (proc_pid_stat(5)).
    package let state: String
    /// The processor time since the last sample, in percent of one processor; nil in the first sample and for a new
    /// process.
    package let cpuPercent: Double?
    /// The resident memory in bytes; nil on overflow.
    package let residentBytes: UInt64?
    package let threads: UInt64
    /// The start time in seconds since 1970; nil if the boot time is unknown.
    package let startTime: Double?
}

/// The processes of a host.
package struct ProcessTable: Sendable, Hashable {
    /// The number of processes, without threads.
    package let count: Int
    /// The threads of all of them.
    package let threads: UInt64
    /// The number of processes in each state, by the kernel's letter.
    package let states: [String: Int]
    /// The processes with the most processor time, sorted by it and then by memory.
    package let busiest: [ProcessSample]
    /// The processes with the most memory, sorted by it.
    package let largest: [ProcessSample]
}

/// The values kept per process in a pass over all processes.
struct ProcessTimes {
    var pid: Int32
    var state: UInt8
    var threads: UInt32
    /// Processor time in ticks.
    var ticks: UInt64
    /// The start time in ticks since boot: with the PID, this identifies a process.
    var start: UInt64
    /// Resident memory in pages.
    var pages: UInt64

    /// Reads `/proc/PID/stat`; nil if it is malformed.
    init?(pid: Int32, stat: Bytes) {
        // The second field is the name, which may contain spaces and parentheses.
        guard var index = stat.lastIndex(of: UInt8(ascii: ")")), index + 2 < stat.count else { return nil }
        self.pid = pid
        state = stat[index + 2]
        index += 3
        var field = 3
        var value: UInt64 = 0
        (ticks, threads, start, pages) = (0, 0, 0, 0)
        while index < stat.count {
            // A field starts after the space that ends the previous one.
            index += 1
            field += 1
            value = 0
            var isNumber = index < stat.count
            while index < stat.count, stat[index] != 32, stat[index] != 10 {
                let byte = stat[index]
                index += 1
                guard byte.isDigit else {
                    isNumber = false
                    continue
                }
                let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
                let (next, carry) = tens.addingReportingOverflow(UInt64(byte &- 48))
                if overflow || carry { isNumber = false }
                value = next
            }
            switch field {
            case 14, 15, 20, 22, 24:
                guard isNumber else { return nil }
                if field <= 15 {
                    guard let total = sum(ticks, value) else { return nil }
                    ticks = total
                }
                if field == 20 { threads = UInt32(truncatingIfNeeded: value) }
                if field == 22 { start = value }
                if field == 24 {
                    pages = value
                    return
                }
            default: break
            }
        }
        return nil
    }

    /// The name in the text of `/proc/PID/stat`.
    static func name(_ stat: Bytes) -> String? {
        guard let open = stat.firstIndex(of: UInt8(ascii: "(")), let close = stat.lastIndex(of: UInt8(ascii: ")")),
            open < close
        else { return nil }
        return Bytes(rebasing: stat[(open + 1)..<close]).string
    }
}
