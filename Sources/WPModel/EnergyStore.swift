// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Persists energy records. The port between the meter and the disk.
public protocol EnergyStore: Sendable {
    /// Reads all saved records.
    /// - Throws: ``EnergyStoreError``.
    func load() async throws -> [EnergyRecord]

    /// Replaces all saved records atomically.
    ///
    /// On return, the records survive a crash of the process and, if the store syncs, of the machine. On failure, the
    /// previous records remain.
    /// - Parameter records: the complete state, one record per key.
    /// - Throws: ``EnergyStoreError``.
    func save(_ records: [EnergyRecord]) async throws
}

/// The key of an ``EnergyRecord``.
public struct EnergyKey: Hashable, Sendable, Comparable {
    /// The server that the device belongs to.
    public var source: SourceID
    /// The device.
    public var device: DeviceID

    /// Creates a key.
    public init(source: SourceID = .only, device: DeviceID) {
        self.source = source
        self.device = device
    }

    /// Orders by source, then by device.
    public static func < (lhs: EnergyKey, rhs: EnergyKey) -> Bool {
        (lhs.source, lhs.device) < (rhs.source, rhs.device)
    }
}

/// The saved state of a device: its total, and the last sample, from which integration may continue after a restart.
public struct EnergyRecord: Hashable, Sendable {
    /// The device of the record.
    public var key: EnergyKey
    /// The total.
    public var total: EnergyTotal
    /// The compensation term of the energy sum, in joules (compensated summation).
    public var compensationJoules: Double
    /// The last valid sample; nil before the first and after a correction.
    public var lastSample: LastSample?
    /// The device's last known name; nil if unknown.
    public var name: String?
    /// The vendor's device type code; nil if unknown.
    public var typeCode: Int?

    /// Creates a record.
    public init(
        key: EnergyKey,
        total: EnergyTotal,
        compensationJoules: Double = 0,
        lastSample: LastSample? = nil,
        name: String? = nil,
        typeCode: Int? = nil
    ) {
        self.key = key
        self.total = total
        self.compensationJoules = compensationJoules
        self.lastSample = lastSample
        self.name = name
        self.typeCode = typeCode
    }

    /// A sample that is stored across restarts.
    public struct LastSample: Hashable, Sendable {
        /// When it was measured, on the wall clock: the monotonic clocks of two processes are not comparable.
        public var wall: Date
        /// Active power in watts; nil if the sample was invalid, so that the next interval is a gap.
        public var watts: Double?

        /// Creates a sample.
        public init(wall: Date, watts: Double?) {
            self.wall = wall
            self.watts = watts
        }
    }
}

/// Why energy records could not be read or written.
public struct EnergyStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable {
        /// The directory or file cannot be created, read or written.
        case inaccessible
        /// No space is left, or a quota is exceeded.
        case full
        /// Another process holds the lock on the directory.
        case locked
        /// The file is damaged and there is no valid copy.
        case damaged
        /// The file was written by a newer version of this program.
        case newerFormat
        /// Anything else.
        case io
    }

    /// The kind of failure.
    public var code: Code
    /// One or two sentences: what failed, on which path, and why.
    public var message: String
    /// How to fix it; nil if no remedy is known.
    public var hint: Hint?

    /// Creates an error.
    public init(code: Code, message: String, hint: Hint? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The message.
    public var description: String { message }

    /// A remedy for a failure. The program that uses the store words it, because only it knows the names of its
    /// settings and commands.
    public enum Hint: String, Sendable, Hashable, CaseIterable {
        /// Free space on the file system, or raise the quota.
        case makeRoom
        /// Grant the program's user read and write access to the directory.
        case grantAccess
        /// Mount the file system read-write, or choose another directory.
        case mountWritable
        /// Check that the directory is the right one.
        case checkPath
        /// Raise the limit on open files.
        case raiseFileLimit
        /// Move the file away if the store did not write it, or raise the file size limit.
        case moveLargeFile
        /// Check the disk and the system log.
        case checkDisk
        /// Check the disk, and move the damaged files away.
        case moveDamagedFiles
        /// Replace the damaged file with a backup, or move the files away to start at zero.
        case restoreBackup
        /// Run the program that wrote the file, or a newer one.
        case runNewerProgram
        /// Remove obsolete devices: there are too many records.
        case removeDevices
        /// Stop the process that holds the lock, or choose another directory.
        case stopOtherProcess
        /// Report a bug: this should not happen.
        case reportFault
    }
}
