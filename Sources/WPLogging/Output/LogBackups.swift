// SPDX-License-Identifier: MIT

import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The backups in the folder of a log file: `wp-20250615T150640.123Z.log`, with or without `.gz`.
struct LogBackups: Sendable {
    private struct Backup {
        /// Milliseconds since the epoch.
        var stamp: Int64
        var isPlain = false
        var isCompressed = false
    }

    private let folder: String
    private let prefix: String
    private let suffix: String
    private let rotation: LogRotation

    init(path: String, rotation: LogRotation) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        folder = slash.map { String(path[...$0]) } ?? "./"
        // A leading dot marks a hidden file, not an extension.
        let dot = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
        prefix = name[..<dot] + "-"
        suffix = String(name[dot...])
        self.rotation = rotation
    }

    /// The time of the newest backup, in microseconds since the epoch; 0 if there is none.
    var newest: Int64 {
        // lint: a directory that can't be listed has no backups
        (try? list().first).map { $0.stamp * 1000 } ?? 0
    }

    /// The path and time for the next backup: this time, or the next free one; nil if none is free soon after.
    /// - Parameters:
    ///   - time: microseconds since the epoch.
    ///   - last: the time of the newest backup.
    func nextName(time: Int64, after last: Int64) -> (path: String, time: Int64)? {
        let first = max(time / 1000, last / 1000 + 1)
        for stamp in first..<(first + 1000) {
            let path = path(stamp)
            if access(path, F_OK) != 0, access(path + ".gz", F_OK) != 0 { return (path, stamp * 1000) }
        }
        return nil
    }

    /// Deletes excess and expired backups, and compresses the rest if configured.
    /// - Parameter time: microseconds since the epoch.
    /// - Returns: the errors. The next call retries.
    func maintain(time: Int64) -> [LogSinkError] {
        var problems: [LogSinkError] = []
        let all: [Backup]
        do throws(LogSinkError) {
            all = try list()
        } catch {
            return [error]
        }
        for (index, backup) in all.enumerated() {
            let path = path(backup.stamp)
            let isTooMany = rotation.maxBackups > 0 && index >= rotation.maxBackups
            let isTooOld = rotation.maxAgeInMicroseconds.map { time - backup.stamp * 1000 > $0 } ?? false
            do throws(LogSinkError) {
                if isTooMany || isTooOld {
                    if backup.isPlain { try delete(path) }
                    if backup.isCompressed { try delete(path + ".gz") }
                } else if backup.isPlain, backup.isCompressed {
                    // The program was killed before it deleted the uncompressed file.
                    try delete(path)
                } else if backup.isPlain, rotation.compresses {
                    try BackupCompression.run(path)
                }
            } catch {
                problems.append(error)
            }
        }
        return problems
    }

    /// All backups, newest first.
    private func list() throws(LogSinkError) -> [Backup] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw LogSinkError(code: .prune, output: folder, reason: "its files cannot be listed")
        }
        var found: [Int64: Backup] = [:]
        for name in names where name.hasPrefix(prefix) {
            var rest = name.dropFirst(prefix.count)
            let isCompressed = rest.hasSuffix(".gz")
            if isCompressed { rest = rest.dropLast(3) }
            guard rest.hasSuffix(suffix), let stamp = Self.stamp(rest.dropLast(suffix.count)) else { continue }
            var backup = found[stamp] ?? Backup(stamp: stamp)
            if isCompressed { backup.isCompressed = true } else { backup.isPlain = true }
            found[stamp] = backup
        }
        return found.values.sorted { $0.stamp > $1.stamp }
    }

    private func delete(_ path: String) throws(LogSinkError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw LogSinkError(code: .prune, output: path, errno: errno)
        }
    }

    private func path(_ stamp: Int64) -> String {
        let time = CivilTime(microseconds: stamp * 1000)
        var text: [UInt8] = []
        text.appendDecimal(time.year, digits: 4)
        text.appendDecimal(time.month, digits: 2)
        text.appendDecimal(time.day, digits: 2)
        text.append(UInt8(ascii: "T"))
        text.appendDecimal(time.hour, digits: 2)
        text.appendDecimal(time.minute, digits: 2)
        text.appendDecimal(time.second, digits: 2)
        text.append(UInt8(ascii: "."))
        text.appendDecimal(time.microsecond / 1000, digits: 3)
        text.append(UInt8(ascii: "Z"))
        return folder + prefix + String(decoding: text, as: UTF8.self) + suffix
    }

    /// Reads `20250615T150640.123Z` as milliseconds since the epoch; nil for anything else.
    private static func stamp(_ text: Substring) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "."),
            bytes[19] == UInt8(ascii: "Z")
        else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var number = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return number
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15),
            let millisecond = number(16..<19),
            let time = CivilTime(
                year: year,
                month: month,
                day: day,
                hour: hour,
                minute: minute,
                second: second,
                microsecond: millisecond * 1000
            )
        else { return nil }
        return time.microseconds / 1000
    }
}
