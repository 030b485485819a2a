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
        // lint: a directory that cannot be listed has no backups
        (try? list().first).map { $0.stamp * 1000 } ?? 0
    }

    /// The path and time for the next backup: this time, or the next free one; nil if there is none within a second.
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
            let isExcess = rotation.maxBackups > 0 && index >= rotation.maxBackups
            let isExpired = rotation.maxAgeInMicroseconds.map { time - backup.stamp * 1000 > $0 } ?? false
            do throws(LogSinkError) {
                if isExcess || isExpired {
                    try delete(path)
                    try delete(path + ".gz")
                } else if backup.isCompressed {
                    // The uncompressed file is left if the program was killed before it deleted it.
                    try delete(path)
                } else if rotation.compresses {
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
            if isCompressed { backup.isCompressed = true }
            found[stamp] = backup
        }
        return found.values.sorted { $0.stamp > $1.stamp }
    }

    /// Deletes a file if it exists.
    private func delete(_ path: String) throws(LogSinkError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw LogSinkError(code: .prune, output: path, errno: errno)
        }
    }

    private func path(_ stamp: Int64) -> String { folder + prefix + Self.text(stamp) + suffix }

    /// Milliseconds since the epoch as `20250615T150640.123Z`.
    private static func text(_ stamp: Int64) -> String {
        var text: [UInt8] = []
        RFC3339.append(CivilTime(microseconds: stamp * 1000), fraction: .milliseconds, to: &text)
        return String(decoding: text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }

    /// Parses ``text(_:)``; nil for anything else.
    private static func stamp(_ text: Substring) -> Int64? {
        guard text.count == 20 else { return nil }
        var time = Array(text)
        for (index, separator) in [(13, ":"), (11, ":"), (6, "-"), (4, "-")] as [(Int, Character)] {
            time.insert(separator, at: index)
        }
        guard let seconds = RFC3339.seconds(String(time)) else { return nil }
        let stamp = Int64((seconds * 1000).rounded())
        return Self.text(stamp) == text ? stamp : nil
    }
}
