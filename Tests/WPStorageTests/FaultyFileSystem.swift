// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An injected fault.
enum Fault: Hashable, Sendable, CustomTestStringConvertible {
    /// The call fails with this `errno` without effect, except that a failed sync loses the written data, as the kernel
    /// may.
    case fails(Int32)
    /// A write accepts half of the bytes; the next call fails with `ENOSPC`.
    case writesShort
    /// A write accepts half of the bytes, and the next call succeeds.
    case writesInParts
    /// A write accepts nothing, without an error.
    case writesNothing

    static let all: [Fault] = [
        .fails(EIO), .fails(ENOSPC), .fails(EDQUOT), .fails(EMFILE), .fails(EACCES), .fails(EROFS), .writesShort,
        .writesInParts, .writesNothing,
    ]

    var testDescription: String {
        switch self {
        case .fails(let number): String(cString: strerror(number))
        case .writesShort: "short write"
        case .writesInParts: "write in parts"
        case .writesNothing: "empty write"
        }
    }
}

/// A file system that counts the calls and makes some of them fail.
final class FaultyFileSystem: FileSystem {
    private struct State {
        var calls: [String] = []
        var fault: Fault?
        var range = 0..<0
        var injected = 0
    }

    private let base: any FileSystem
    private let state = Mutex(State())

    init(_ base: any FileSystem) {
        self.base = base
    }

    /// The calls made so far, by name.
    var calls: [String] { state.withLock { $0.calls } }

    /// The number of injected failures.
    var injected: Int { state.withLock { $0.injected } }

    /// Makes the calls with these numbers fail; the first call after this has number 0.
    func inject(_ fault: Fault?, at range: Range<Int>) {
        state.withLock { $0 = State(fault: fault, range: range) }
    }

    /// - Returns: the fault of a write, if any.
    @discardableResult
    private func call(_ name: String, _ path: String) throws(FileSystemError) -> Fault? {
        let fault: Fault? = state.withLock { state in
            let number = state.calls.count
            state.calls.append(name)
            guard let fault = state.fault else { return nil }
            if state.range.contains(number) {
                if case .fails = fault {
                    state.injected += 1
                    return fault
                }
                guard name == "write" else { return nil }
                state.injected += 1
                if fault == .writesShort {
                    // A short write on a full disk is followed by a failing one.
                    state.fault = .fails(ENOSPC)
                    state.range = number + 1..<number + 2
                }
                return fault
            }
            return nil
        }
        if case .fails(let number) = fault { throw FileSystemError(call: name, path: path, number: number) }
        return fault
    }

    func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> OpenFile {
        try call("open", path)
        return try base.open(path, mode)
    }

    func close(_ file: OpenFile) throws(FileSystemError) {
        // A descriptor is closed even if close fails.
        let result = Result { () throws(FileSystemError) in try call("close", file.path) }
        try base.close(file)
        _ = try result.get()
    }

    func status(of file: OpenFile) throws(FileSystemError) -> FileStatus {
        try call("fstat", file.path)
        return try base.status(of: file)
    }

    func status(at path: String) throws(FileSystemError) -> FileStatus {
        try call("lstat", path)
        return try base.status(at: path)
    }

    func rewind(_ file: OpenFile) throws(FileSystemError) {
        try call("lseek", file.path)
        try base.rewind(file)
    }

    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        try call("read", file.path)
        return try base.read(file, into: buffer)
    }

    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(FileSystemError) -> Int {
        switch try call("write", file.path) {
        case .writesShort, .writesInParts:
            return try base.write(file, UnsafeRawBufferPointer(rebasing: bytes[..<((bytes.count + 1) / 2)]))
        case .writesNothing: return 0
        default: return try base.write(file, bytes)
        }
    }

    func truncate(_ file: OpenFile) throws(FileSystemError) {
        try call("ftruncate", file.path)
        try base.truncate(file)
    }

    func setPermissions(_ file: OpenFile, _ permissions: UInt16) throws(FileSystemError) {
        try call("fchmod", file.path)
        try base.setPermissions(file, permissions)
    }

    func setOwner(_ file: OpenFile, _ owner: FileOwner) throws(FileSystemError) {
        try call("fchown", file.path)
        try base.setOwner(file, owner)
    }

    var effectiveUser: UInt32 { base.effectiveUser }

    func synchronize(_ file: OpenFile) throws(FileSystemError) {
        do {
            try call("fsync", file.path)
        } catch {
            try? base.truncate(file)
            throw error
        }
        try base.synchronize(file)
    }

    func synchronizeContent(_ file: OpenFile) throws(FileSystemError) {
        do {
            try call("fdatasync", file.path)
        } catch {
            try? base.truncate(file)
            throw error
        }
        try base.synchronizeContent(file)
    }

    func lock(_ file: OpenFile) throws(FileSystemError) -> Bool {
        try call("flock", file.path)
        return try base.lock(file)
    }

    func unlock(_ file: OpenFile) throws(FileSystemError) {
        // Unlocks even if the call fails: another test's child process could otherwise keep the lock.
        let result = Result { () throws(FileSystemError) in try call("flock", file.path) }
        try base.unlock(file)
        _ = try result.get()
    }

    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try call("rename", path)
        try base.rename(path, to: newPath)
    }

    func link(_ path: String, to newPath: String) throws(FileSystemError) {
        try call("link", path)
        try base.link(path, to: newPath)
    }

    func remove(_ path: String) throws(FileSystemError) {
        try call("unlink", path)
        try base.remove(path)
    }

    func createDirectory(_ path: String, permissions: UInt16) throws(FileSystemError) {
        try call("mkdir", path)
        try base.createDirectory(path, permissions: permissions)
    }

    func names(in path: String, limit: Int) throws(FileSystemError) -> [String] {
        try call("readdir", path)
        return try base.names(in: path, limit: limit)
    }
}
