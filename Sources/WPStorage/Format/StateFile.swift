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
/// Specified in docs/storage-format.md. Every byte is checked: the header contains the checksum of the body and ends
/// with its own; the padding has fixed content.
struct StateFile: Equatable {
    /// The version that is written, and the newest supported one.
    static let version = 1
    /// The first value of every header.
    static let format = "winpower-exporter energy"
    /// The columns of a record. Later versions may append columns; a reader tolerates missing ones after `last_watts`
    /// and ignores unknown ones.
    static let columns = [
        "source", "device", "joules", "compensation_joules", "metered_seconds", "gap_seconds", "last_unix_ns",
        "last_watts", "unverified_seconds", "name", "type_code",
    ]
    /// The maximum length of a header line.
    static let largestHeader = 4096
    /// More than a header line of this version needs.
    static let headerRoom = 512
    /// The maximum file size: more than a million devices.
    static let largestFile = 256 << 20
    /// The usual page size; file sizes are multiples of it.
    static let pageSize = 4096

    /// The number of saves since the directory was created; a newer state has a larger number.
    var generation: Int
    /// The records in saved order.
    var records: [EnergyRecord]
}

/// Times in the file: nanoseconds since 1970 in 64 bits.
///
/// Exact for every `Date` since mid-2001, because it avoids a `Double` of seconds since 1970.
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

/// The CRC-32 of zip, gzip and PNG (ISO 3309), from zlib.
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
