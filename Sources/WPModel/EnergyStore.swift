// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps energy records beyond the life of the process. The port between the meter and the disk.
public protocol EnergyStore: Sendable {
    /// Reads every record that was saved last.
    /// - Throws: ``EnergyStoreError``.
    func load() async throws -> [EnergyRecord]

    /// Replaces everything that was saved by these records, all or nothing.
    ///
    /// When it returns, the records survive a crash of the process and, if the store syncs, of the computer. When it
    /// throws, what was saved before is still there.
    /// - Parameter records: the whole state, one record a key.
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

/// What is saved of one device: its total, and the last sample, from which integration may go on after a restart.
public struct EnergyRecord: Hashable, Sendable {
    /// The device that the record is about.
    public var key: EnergyKey
    /// The total.
    public var total: EnergyTotal
    /// The part of the energy sum, in joules, that `total.joules` is too coarse to hold (compensated summation).
    public var compensationJoules: Double
    /// The last sample that counted; nil when there was none yet, and after a correction.
    public var lastSample: LastSample?
    /// The name that the device had last; nil when it is not known.
    public var name: String?
    /// The vendor's code of the device's type; nil when it is not known.
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

    /// A sample as it is remembered across a restart.
    public struct LastSample: Hashable, Sendable {
        /// When it was taken, by the wall clock: the only one that two processes share.
        public var wall: Date
        /// Active power in watts; nil when the sample was not valid, so that the next interval is a gap.
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
        /// The directory or file can't be created, read or written.
        case inaccessible
        /// No space is left, or a quota is used up.
        case full
        /// Another process holds the directory.
        case locked
        /// The file is damaged and no good state is left to fall back on.
        case damaged
        /// The file was written by a newer version of this program.
        case newerFormat
        /// Anything else.
        case io
    }

    /// The kind of failure.
    public var code: Code
    /// One or two sentences: what was tried, on which path, and how it failed.
    public var message: String
    /// What an operator can do about it; nil when nothing is known to help.
    public var hint: Hint?

    /// Creates an error.
    public init(code: Code, message: String, hint: Hint? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The message.
    public var description: String { message }

    /// What an operator can do about a failure. A store knows the remedy, but not what its program calls the setting or
    /// the command; the program puts it into words.
    public enum Hint: String, Sendable, Hashable, CaseIterable {
        /// Make room on the file system, or raise the quota.
        case makeRoom
        /// Give the user that the program runs as the right to read and write the directory.
        case grantAccess
        /// Mount the file system for writing, or choose another directory.
        case mountWritable
        /// Check that the directory is the right one.
        case checkPath
        /// Raise the limit of open files.
        case raiseFileLimit
        /// Move the file away, which the store did not write, or raise the limit of file sizes.
        case moveLargeFile
        /// Check the disk, and the log of the system.
        case checkDisk
        /// Check the disk, and move away the damaged files that were kept aside.
        case moveDamagedFiles
        /// Put a backup in the place of the damaged file, or move the files away to start at zero.
        case restoreBackup
        /// Run the program that wrote the file, or a newer one.
        case runNewerProgram
        /// Remove devices that are gone: there are too many records.
        case removeDevices
        /// Stop the process that holds the directory, or choose another directory.
        case stopOtherProcess
        /// Report it: this should not happen.
        case reportFault
    }
}
