// SPDX-License-Identifier: MIT

/// One process.
package struct ProcessSample: Sendable, Hashable {
    /// The PID.
    package let pid: Int
    /// Its name, in which bytes that are not UTF-8 are written as `\xNN`.
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
    /// The total number of threads.
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
    let pid: Int32
    let state: UInt8
    let threads: UInt32
    /// Processor time in ticks.
    let ticks: UInt64
    /// The start time in ticks since boot: with the PID, this identifies a process.
    let start: UInt64
    /// Resident memory in pages.
    let pages: UInt64

    /// Reads `/proc/PID/stat`; nil if it is malformed.
    init?(pid: Int32, stat: Bytes) {
        // The second field is the name, which may contain spaces and parentheses.
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        var fields = ByteScanner(stat.dropping(end + 1))
        guard let state = fields.field()?.first else { return nil }
        // Fields 4 to 24 (proc_pid_stat(5)).
        let numbers = (4...24).map { _ in fields.unsigned() }
        guard let user = numbers[10], let system = numbers[11], let ticks = sum(user, system),
            let threads = numbers[16], let start = numbers[18], let pages = numbers[20]
        else { return nil }
        (self.pid, self.state, self.threads) = (pid, state, UInt32(truncatingIfNeeded: threads))
        (self.ticks, self.start, self.pages) = (ticks, start, pages)
    }

    /// The name in the text of `/proc/PID/stat`.
    static func name(_ stat: Bytes) -> String? {
        guard let open = stat.firstIndex(of: UInt8(ascii: "(")), let close = stat.lastIndex(of: UInt8(ascii: ")")),
            open < close
        else { return nil }
        return Bytes(rebasing: stat[(open + 1)..<close]).string
    }
}
