// SPDX-License-Identifier: MIT

import Synchronization
import WPStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A flat directory in memory that models the disk's content after a power failure.
///
/// Synced content and names are safe. Later name changes survive up to some point in order, as on a journaling file
/// system; unsynced content may be lost.
final class MemoryFileSystem: FileSystem {
    private struct Inode {
        var content: [UInt8] = []
        var safeContent: [UInt8] = []
        var isLocked = false
        var owner = FileOwner(user: 0, group: 0)

        /// Content with new sectors on one side of an offset and old ones on the other.
        func torn(at offset: Int, newComesFirst: Bool) -> [UInt8] {
            guard content != safeContent else { return content }
            let (first, second) = newComesFirst ? (content, safeContent) : (safeContent, content)
            return Array(first.prefix(offset)) + second.dropFirst(offset)
        }
    }

    private struct Opening {
        /// nil for the directory.
        var inode: Int?
        var offset = 0
        var hasLock = false
    }

    private struct State {
        var inodes: [Int: Inode] = [:]
        var names: [String: Int] = [:]
        /// The names on disk, then after each change.
        var nameHistory: [[String: Int]] = [[:]]
        var openings: [Int32: Opening] = [:]
        var next = 1
    }

    private let state = Mutex(State())
    private let directoryOwner: FileOwner
    /// The user that this process acts as.
    let effectiveUser: UInt32

    /// - Parameter directoryOwner: the owner of the directory.
    init(
        _ files: [String: [UInt8]] = [:],
        directoryOwner: FileOwner = FileOwner(user: 0, group: 0),
        effectiveUser: UInt32 = 1000
    ) {
        self.directoryOwner = directoryOwner
        self.effectiveUser = effectiveUser
        state.withLock { state in
            for (path, content) in files {
                state.inodes[state.next] = Inode(content: content, safeContent: content)
                state.names[path] = state.next
                state.next += 1
            }
            state.nameHistory = [state.names]
        }
    }

    /// Every file and its content.
    var files: [String: [UInt8]] {
        state.withLock { state in state.names.mapValues { state.inodes[$0]?.content ?? [] } }
    }

    /// The owner of each file.
    var owners: [String: FileOwner] {
        state.withLock { state in state.names.compactMapValues { state.inodes[$0]?.owner } }
    }

    /// The number of open files.
    var openCount: Int { state.withLock { $0.openings.count } }

    /// The possible disk contents after a power failure: each possible set of names, with unsynced content kept, lost,
    /// or partially kept.
    var afterPowerCut: Set<[String: [UInt8]]> {
        state.withLock { state in
            let sectors = state.inodes.values.map { ($0.content.count + 511) / 512 }.max() ?? 0
            var results: Set<[String: [UInt8]]> = []
            for names in state.nameHistory {
                for sector in 0...sectors {
                    for newComesFirst in [true, false] {
                        let inodes = names.compactMapValues { state.inodes[$0] }
                        results.insert(inodes.mapValues { $0.torn(at: sector * 512, newComesFirst: newComesFirst) })
                    }
                }
            }
            return results
        }
    }

    private func with<Result>(
        _ call: String,
        _ path: String,
        _ body: (inout State) throws(Failure) -> Result
    ) throws(FileSystemError) -> Result {
        do throws(Failure) {
            return try state.withLock { (state) throws(Failure) in try body(&state) }
        } catch {
            throw FileSystemError(call: call, path: path, number: error.number)
        }
    }

    private struct Failure: Error {
        var number: Int32
    }

    func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> OpenFile {
        try with("open", path) { (state) throws(Failure) in
            var opening = Opening()
            switch (mode, state.names[path]) {
            case (.directory, _): break
            case (.read, nil), (.overwrite, nil): throw Failure(number: ENOENT)
            case (.create, .some): throw Failure(number: EEXIST)
            case (_, .some(let inode)): opening.inode = inode
            case (_, nil):
                state.inodes[state.next] = Inode()
                state.names[path] = state.next
                state.nameHistory.append(state.names)
                opening.inode = state.next
                state.next += 1
            }
            if mode == .append, let inode = opening.inode { opening.offset = state.inodes[inode]?.content.count ?? 0 }
            let descriptor = Int32(state.next)
            state.next += 1
            state.openings[descriptor] = opening
            return OpenFile(descriptor: descriptor, path: path, isDirectory: mode == .directory)
        }
    }

    func close(_ file: OpenFile) throws(FileSystemError) {
        try with("close", file.path) { (state) throws(Failure) in
            guard let opening = state.openings.removeValue(forKey: file.descriptor) else {
                throw Failure(number: EBADF)
            }
            if opening.hasLock, let inode = opening.inode { state.inodes[inode]?.isLocked = false }
        }
    }

    func status(of file: OpenFile) throws(FileSystemError) -> FileStatus {
        try with("fstat", file.path) { (state) throws(Failure) in
            let inode = state.openings[file.descriptor]?.inode.flatMap { state.inodes[$0] }
            let number = UInt64(state.openings[file.descriptor]?.inode ?? 0)
            return FileStatus(
                isRegular: inode != nil,
                size: inode?.content.count ?? 0,
                device: 0,
                inode: number,
                owner: inode?.owner ?? directoryOwner
            )
        }
    }

    func status(at path: String) throws(FileSystemError) -> FileStatus {
        try with("lstat", path) { (state) throws(Failure) in
            guard let inode = state.names[path] else { throw Failure(number: ENOENT) }
            return FileStatus(
                isRegular: true,
                size: state.inodes[inode]?.content.count ?? 0,
                device: 0,
                inode: UInt64(inode),
                owner: state.inodes[inode]?.owner ?? directoryOwner
            )
        }
    }

    func rewind(_ file: OpenFile) throws(FileSystemError) {
        try with("lseek", file.path) { (state) throws(Failure) in
            guard state.openings[file.descriptor] != nil else { throw Failure(number: EBADF) }
            state.openings[file.descriptor]?.offset = 0
        }
    }

    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
        let bytes: ArraySlice<UInt8> = try with("read", file.path) { (state) throws(Failure) in
            guard let opening = state.openings[file.descriptor], let inode = opening.inode,
                let content = state.inodes[inode]?.content
            else { throw Failure(number: EBADF) }
            let bytes = content.dropFirst(opening.offset).prefix(buffer.count)
            state.openings[file.descriptor]?.offset += bytes.count
            return bytes
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(FileSystemError) -> Int {
        let bytes = Array(bytes)
        return try with("write", file.path) { (state) throws(Failure) in
            guard let inode = state.openings[file.descriptor]?.inode else {
                throw Failure(number: EBADF)
            }
            let offset = state.openings[file.descriptor]?.offset ?? 0
            var content = state.inodes[inode]?.content ?? []
            content.replaceSubrange(min(offset, content.count)..<min(offset + bytes.count, content.count), with: bytes)
            state.inodes[inode]?.content = content
            state.openings[file.descriptor]?.offset = offset + bytes.count
            return bytes.count
        }
    }

    func truncate(_ file: OpenFile) throws(FileSystemError) {
        try with("ftruncate", file.path) { (state) throws(Failure) in
            guard let inode = state.openings[file.descriptor]?.inode else {
                throw Failure(number: EBADF)
            }
            state.inodes[inode]?.content = []
            state.openings[file.descriptor]?.offset = 0
        }
    }

    func setPermissions(_ file: OpenFile, _ permissions: UInt16) throws(FileSystemError) {}

    func setOwner(_ file: OpenFile, _ owner: FileOwner) throws(FileSystemError) {
        try with("fchown", file.path) { (state) throws(Failure) in
            guard let inode = state.openings[file.descriptor]?.inode else { throw Failure(number: EBADF) }
            state.inodes[inode]?.owner = owner
        }
    }

    func synchronize(_ file: OpenFile) throws(FileSystemError) {
        try with("fsync", file.path) { (state) throws(Failure) in
            guard let opening = state.openings[file.descriptor] else { throw Failure(number: EBADF) }
            if let inode = opening.inode {
                let content = state.inodes[inode]?.content ?? []
                state.inodes[inode]?.safeContent = content
            } else {
                state.nameHistory = [state.names]
            }
        }
    }

    func synchronizeContent(_ file: OpenFile) throws(FileSystemError) {
        try with("fdatasync", file.path) { (state) throws(Failure) in
            guard let inode = state.openings[file.descriptor]?.inode else { throw Failure(number: EBADF) }
            let content = state.inodes[inode]?.content ?? []
            state.inodes[inode]?.safeContent = content
        }
    }

    func lock(_ file: OpenFile) throws(FileSystemError) -> Bool {
        try with("flock", file.path) { (state) throws(Failure) in
            guard let inode = state.openings[file.descriptor]?.inode else {
                throw Failure(number: EBADF)
            }
            if state.inodes[inode]?.isLocked == true { return false }
            state.inodes[inode]?.isLocked = true
            state.openings[file.descriptor]?.hasLock = true
            return true
        }
    }

    func unlock(_ file: OpenFile) throws(FileSystemError) {
        try with("flock", file.path) { (state) throws(Failure) in
            guard let inode = state.openings[file.descriptor]?.inode else { throw Failure(number: EBADF) }
            state.inodes[inode]?.isLocked = false
            state.openings[file.descriptor]?.hasLock = false
        }
    }

    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try with("rename", path) { (state) throws(Failure) in
            guard let inode = state.names[path] else { throw Failure(number: ENOENT) }
            // In POSIX, renaming a file to another link of itself does nothing.
            guard state.names[newPath] != inode else { return }
            state.names[path] = nil
            state.names[newPath] = inode
            state.nameHistory.append(state.names)
        }
    }

    func link(_ path: String, to newPath: String) throws(FileSystemError) {
        try with("link", newPath) { (state) throws(Failure) in
            guard let inode = state.names[path] else { throw Failure(number: ENOENT) }
            guard state.names[newPath] == nil else { throw Failure(number: EEXIST) }
            state.names[newPath] = inode
            state.nameHistory.append(state.names)
        }
    }

    func remove(_ path: String) throws(FileSystemError) {
        try with("unlink", path) { (state) throws(Failure) in
            guard state.names.removeValue(forKey: path) != nil else { throw Failure(number: ENOENT) }
            state.nameHistory.append(state.names)
        }
    }

    func createDirectory(_ path: String, permissions: UInt16) throws(FileSystemError) {
        throw FileSystemError(call: "mkdir", path: path, number: EEXIST)
    }

    func names(in path: String, limit: Int) throws(FileSystemError) -> [String] {
        try with("readdir", path) { (state) throws(Failure) in
            let prefix = path + "/"
            let names = state.names.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            return Array(names.prefix(limit))
        }
    }
}
