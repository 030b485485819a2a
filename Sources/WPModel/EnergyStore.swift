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
    /// One sentence: what was tried, on which path, what came of it, and what to do.
    public var message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
