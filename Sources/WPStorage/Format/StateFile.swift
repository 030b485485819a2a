// SPDX-License-Identifier: MIT

import CZlib
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The whole saved state, and the format of its file: JSON Lines, a header, then one record per line.
///
/// docs/storage-format.md specifies it. Every byte of the file is under a checksum: the body's stands in the header,
/// and the header's at the end of the header itself. What comes after the body is padding, which has to be what it is.
struct StateFile: Equatable {
    /// The version that this program writes, and the newest that it reads.
    static let version = 1
    /// The first value of every header.
    static let format = "winpower-exporter energy"
    /// What a record's line holds, in order. A later program of the same version may append columns; a reader does
    /// without those after `last_watts` that are missing, and passes over those that it does not know.
    static let columns = [
        "source", "device", "joules", "compensation_joules", "metered_seconds", "gap_seconds", "last_unix_ns",
        "last_watts", "unverified_seconds", "name", "type_code",
    ]
    /// The longest header line that is looked at.
    static let largestHeader = 4096
    /// More than a header line of this version takes.
    static let headerRoom = 512
    /// The largest file that is written or read: more than a million devices.
    static let largestFile = 256 << 20
    /// File sizes are multiples of this, the usual size of a disk's and the kernel's pages.
    static let pageSize = 4096

    /// Counts the saves since the directory was new; the larger of two is the later state.
    var generation: Int
    /// The records in the order that they were saved.
    var records: [EnergyRecord]
}

/// A moment as the file holds it: nanoseconds since 1970 in 64 bits.
///
/// It is exact for every `Date` from mid-2001 on, whose own grain is coarser, and does not pass through a `Double`
/// count of seconds since 1970, which would be too coarse.
enum UnixNanoseconds {
    private static let referenceSeconds: Int64 = 978_307_200
    private static let second: Int64 = 1_000_000_000

    /// - Parameter date: within ``EnergyRecord/LastSample/wallRange``; nil outside.
    static func from(_ date: Date) -> Int64? {
        let seconds = date.timeIntervalSinceReferenceDate
        let whole = seconds.rounded(.down)
        let nanoseconds = ((seconds - whole) * 1e9).rounded()
        guard let whole = Int64(exactly: whole), let nanoseconds = Int64(exactly: nanoseconds) else { return nil }
        let (unix, outOfRange) = whole.addingReportingOverflow(referenceSeconds)
        let (scaled, overflow) = unix.multipliedReportingOverflow(by: second)
        let (sum, carry) = scaled.addingReportingOverflow(nanoseconds)
        return outOfRange || overflow || carry ? nil : sum
    }

    static func date(_ nanoseconds: Int64) -> Date {
        let (whole, fraction) = nanoseconds.quotientAndRemainder(dividingBy: second)
        return Date(timeIntervalSinceReferenceDate: Double(whole - referenceSeconds) + Double(fraction) / 1e9)
    }
}

/// The CRC-32 of zip, gzip and PNG (ISO 3309), as zlib computes it.
enum CRC32 {
    /// The checksum as eight hexadecimal digits in lower case.
    static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        let sum = bytes.withUnsafeBytes { buffer in
            crc32_z(0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count)
        }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
