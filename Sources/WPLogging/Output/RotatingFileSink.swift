// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
package import WPCore

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

/// Appends lines to a file, and rotates it when it is too large or too old.
///
/// `wp.log` becomes `wp-20250615T150640.123Z.log` and, compressed in the background, `wp-20250615T150640.123Z.log.gz`.
/// The time is that of the rotation in UTC, so that names sort by age. Only one process may write to a file. A path
/// that is not a regular file, such as a named pipe, is never rotated.
package final class RotatingFileSink: LogSink {
    private struct File {
        var writer: LineWriter
        let identity: FileIdentity
        var bytes: Int
        /// When its oldest record was written, if known.
        var begun: Int64
        /// After a failure, when to retry rotation.
        var retry: Int64?
        /// The newest backup's time. The next one is later, even if the clock steps back.
        var lastBackup: Int64
        /// When to check next whether the path still refers to the file.
        var nextCheck: Int64
    }

    private static let retryDelay: Int64 = 60_000_000
    /// How often to check whether another program has renamed, deleted or emptied the file.
    private static let checkInterval: Int64 = 1_000_000

    private let path: String
    private let rotation: LogRotation
    private let backups: LogBackups
    private let timeSource: any TimeSource
    private let call: LineWriter.Call
    private let file: Mutex<File>
    private let problems = ProblemReport()
    /// Shared by all sinks: after a reload, the old and the new sink maintain the same backups.
    private let queue = RotatingFileSink.backupQueue
    private static let backupQueue = DispatchQueue(label: "log-backups", qos: .utility)

    /// Opens a file for appending. Creates it with mode 0640, and missing folders, if necessary.
    /// - Parameters:
    ///   - path: the file's path.
    ///   - rotation: the rotation rule.
    ///   - timeSource: the clock of rotations and of the names of backups.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open``.
    package convenience init(
        path: String,
        rotation: LogRotation = LogRotation(),
        timeSource: any TimeSource = .system
    ) throws(LogSinkError) {
        try self.init(path: path, rotation: rotation, timeSource: timeSource, call: SystemCalls.write)
    }

    init(
        path: String,
        rotation: LogRotation,
        timeSource: any TimeSource,
        call: @escaping LineWriter.Call
    ) throws(LogSinkError) {
        self.path = path
        self.rotation = rotation
        self.timeSource = timeSource
        self.call = call
        backups = LogBackups(path: path, rotation: rotation)
        let time = timeSource.now.wall.microsecondsSince1970
        file = Mutex(try Self.open(path, call: call, time: time, newest: backups.newest))
        maintain()
    }

    deinit {
        file.withLock { _ = close($0.writer.descriptor) }
    }

    /// Sets the receiver of errors in rotation and background work, which do not lose records. Called on a private
    /// queue; may log.
    package func onProblem(_ report: @escaping @Sendable (LogSinkError) -> Void) {
        problems.set(report)
        queue.async { [problems] in problems.report([]) }
    }

    /// Writes a line, after rotating the file if due.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/write``; the file then contains no part of the line.
    package func write(_ line: [UInt8]) throws(LogSinkError) {
        let time = timeSource.now.wall.microsecondsSince1970
        var rotated = false
        var problem: LogSinkError?
        defer {
            if rotated { maintain() }
            if let problem { report(problem) }
        }
        try file.withLock { (file) throws(LogSinkError) in
            // A check that is further ahead than any delay was scheduled before the clock stepped backwards.
            if time >= file.nextCheck || file.nextCheck - time > Self.retryDelay {
                do throws(LogSinkError) {
                    try follow(&file, time: time)
                } catch {
                    file.nextCheck = time + Self.retryDelay
                    problem = error
                }
            }
            if isDue(file, adding: line.count, time: time) {
                do throws(LogSinkError) {
                    rotated = try rotate(&file, time: time)
                } catch {
                    file.retry = time.addingReportingOverflow(Self.retryDelay).partialValue
                    problem = error
                }
            }
            do throws(LineWriter.Failure) {
                try file.writer.write(line, repairs: true)
                file.bytes += line.count
            } catch {
                throw LogSinkError(code: .write, output: path, errno: error.errno)
            }
        }
    }

    /// Synchronizes the file to disk.
    package func flush() {
        file.withLock { _ = fsync($0.writer.descriptor) }
    }

    /// Reopens the path. Call it after another program has renamed the file.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open``; lines are then still written to the old file.
    package func reopen() throws(LogSinkError) {
        let time = timeSource.now.wall.microsecondsSince1970
        try file.withLock { (file) throws(LogSinkError) in
            try replace(&file, time: time)
        }
    }

    /// Blocks the thread until all backups are compressed and pruned.
    package func waitForBackups() {
        queue.sync {}
    }

    private func isDue(_ file: File, adding count: Int, time: Int64) -> Bool {
        guard file.writer.isRegular, file.bytes > 0 else { return false }
        if let retry = file.retry, time < retry { return false }
        if rotation.maxBytes > 0, count > rotation.maxBytes - file.bytes { return true }
        if let age = rotation.maxAgeInMicroseconds { return time - file.begun > age }
        return false
    }

    /// Rotates the file.
    /// - Returns: false if another program has already renamed, deleted or truncated it.
    private func rotate(_ file: inout File, time: Int64) throws(LogSinkError) -> Bool {
        file.retry = nil
        guard try follow(&file, time: time) else { return false }
        guard let (name, stamp) = backups.nextName(time: time, after: file.lastBackup) else {
            throw LogSinkError(code: .rotate, output: path, reason: "there is no free name for a backup")
        }
        guard rename(path, name) == 0 else {
            throw LogSinkError(code: .rotate, output: path, errno: errno)
        }
        do {
            try replace(&file, time: time)
        } catch {
            // The old file stays in use, so it gets its name back.
            _ = rename(name, path)
            throw LogSinkError(code: .rotate, output: path, reason: error.reason)
        }
        file.lastBackup = stamp
        return true
    }

    /// Checks whether another program has renamed, deleted or truncated the file, and reopens the path if so.
    /// - Returns: whether the file is unchanged.
    @discardableResult
    private func follow(_ file: inout File, time: Int64) throws(LogSinkError) -> Bool {
        file.nextCheck = time + Self.checkInterval
        guard file.writer.isRegular else { return true }
        let open: stat
        do throws(SystemCalls.Failure) {
            open = try SystemCalls.status(of: file.writer.descriptor)
        } catch {
            throw LogSinkError(code: .rotate, output: path, errno: error.errno)
        }
        var named = stat()
        guard stat(path, &named) == 0, open.identity == named.identity else {
            try replace(&file, time: time)
            return false
        }
        if open.st_size < file.bytes {
            file.bytes = Int(open.st_size)
            file.begun = time
            return false
        }
        return true
    }

    private func replace(_ file: inout File, time: Int64) throws(LogSinkError) {
        let old = file
        file = try Self.open(path, call: call, time: time, newest: old.lastBackup)
        if file.identity == old.identity { file.begun = old.begun }
        close(old.writer.descriptor)
    }

    private static func open(
        _ path: String,
        call: @escaping LineWriter.Call,
        time: Int64,
        newest: Int64
    ) throws(LogSinkError) -> File {
        if let slash = path.lastIndex(of: "/") {
            SystemCalls.createDirectories(String(path[..<slash]), permissions: 0o750)
        }
        let descriptor: Int32
        let status: stat
        do throws(SystemCalls.Failure) {
            // Non-blocking: a named pipe without a reader must fail, not block forever.
            let flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY
            descriptor = try SystemCalls.open(path, flags, permissions: 0o640)
            status = try SystemCalls.status(of: descriptor)
        } catch {
            throw LogSinkError(code: .open, output: path, errno: error.errno)
        }
        // The file was started at the time of the newest backup; without one, no later than its last change.
        let lastChange = status.lastChange
        let begun = status.st_size == 0 ? time : newest > 0 ? min(newest, lastChange) : lastChange
        return File(
            writer: LineWriter(descriptor: descriptor, call: call),
            identity: status.identity,
            bytes: Int(status.st_size),
            begun: begun,
            retry: nil,
            lastBackup: newest,
            nextCheck: time + Self.checkInterval
        )
    }

    private func maintain() {
        queue.async { [backups, timeSource, problems] in
            problems.report(backups.maintain(time: timeSource.now.wall.microsecondsSince1970))
        }
    }

    private func report(_ problem: LogSinkError) {
        queue.async { [problems] in problems.report([problem]) }
    }
}
