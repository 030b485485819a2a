// SPDX-License-Identifier: MIT

/// The system's statistics of this process; nil for values it does not report.
struct ProcessStatistics: Sendable, Equatable {
    /// User and system CPU time in seconds.
    var cpuSeconds: Double?
    /// Open file descriptors.
    var openDescriptors: Double?
    /// The limit of open file descriptors.
    var maximumDescriptors: Double?
    /// Address space in bytes.
    var virtualMemoryBytes: Double?
    /// The limit of the address space in bytes; the system's largest number if there is none.
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
