// SPDX-License-Identifier: MIT

/// The system's statistics for this process; nil for values that it does not report.
struct ProcessStatistics: Sendable, Equatable {
    /// User and system CPU time in seconds.
    var cpuSeconds: Double?
    /// Open file descriptors.
    var openDescriptors: Double?
    /// The limit on open file descriptors.
    var maximumDescriptors: Double?
    /// Address space in bytes.
    var virtualMemoryBytes: Double?
    /// The limit on the address space in bytes; the system's largest number if it is unlimited.
    var maximumVirtualMemoryBytes: Double?
    /// Resident memory in bytes.
    var residentMemoryBytes: Double?
    /// The start of the process, in seconds since 1970.
    var startTime: Double?
    /// Bytes received over the network.
    var receivedBytes: Double?
    /// Bytes sent over the network.
    var transmittedBytes: Double?
}
