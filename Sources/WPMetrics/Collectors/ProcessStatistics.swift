// SPDX-License-Identifier: MIT

/// What the system reports about this process; nil for what it does not.
struct ProcessStatistics: Sendable, Equatable {
    /// Time on a processor, user and system together, in seconds.
    var cpuSeconds: Double?
    /// Open file descriptors.
    var openDescriptors: Double?
    /// The limit of open file descriptors.
    var maximumDescriptors: Double?
    /// Address space in bytes.
    var virtualMemoryBytes: Double?
    /// The limit of the address space in bytes; without one, the largest number that the system can report.
    var maximumVirtualMemoryBytes: Double?
    /// Memory in use in bytes.
    var residentMemoryBytes: Double?
    /// The start of the process, in seconds since 1970.
    var startTime: Double?
    /// Bytes that came in over the network.
    var receivedBytes: Double?
    /// Bytes that went out over the network.
    var transmittedBytes: Double?
}
