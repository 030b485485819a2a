// SPDX-License-Identifier: MIT

/// The system calls of ``FileEnergyStore``, so that a test can make each of them fail.
///
/// The functions block, and are called only from the store's queue. Implementations retry only on EINTR; the store
/// handles all other errors.
package protocol FileSystem: Sendable {
    /// Opens a file or a directory, with O_CLOEXEC.
    func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> OpenFile
    /// Closes a file, even if it throws.
    func close(_ file: OpenFile) throws(FileSystemError)
    /// The status of an open file.
    func status(of file: OpenFile) throws(FileSystemError) -> FileStatus
    /// The status of a path; does not follow symbolic links.
    func status(at path: String) throws(FileSystemError) -> FileStatus
    /// Reads from the current position into the buffer.
    /// - Returns: the number of bytes read; 0 at the end of the file.
    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int
    /// Writes at the current position.
    /// - Returns: the number of bytes written, which may be fewer than given.
    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(FileSystemError) -> Int
    /// Rewinds a file.
    func rewind(_ file: OpenFile) throws(FileSystemError)
    /// Truncates a file to zero and rewinds it.
    func truncate(_ file: OpenFile) throws(FileSystemError)
    /// Sets the permissions, regardless of the umask.
    func setPermissions(_ file: OpenFile, _ permissions: UInt16) throws(FileSystemError)
    /// Changes the owner of a file; needs root.
    func setOwner(_ file: OpenFile, _ owner: FileOwner) throws(FileSystemError)
    /// The effective user ID of this process; 0 is root.
    var effectiveUser: UInt32 { get }
    /// Syncs a file or a directory.
    func synchronize(_ file: OpenFile) throws(FileSystemError)
    /// Syncs a file's content, with only the metadata needed to read it.
    func synchronizeContent(_ file: OpenFile) throws(FileSystemError)
    /// Tries to lock a file exclusively. The lock ends with the process at the latest.
    /// - Returns: false if another process holds it.
    func lock(_ file: OpenFile) throws(FileSystemError) -> Bool
    /// Unlocks a file.
    func unlock(_ file: OpenFile) throws(FileSystemError)
    /// Renames a file atomically, replacing an existing one.
    func rename(_ path: String, to newPath: String) throws(FileSystemError)
    /// Creates a hard link; fails if the new path exists.
    func link(_ path: String, to newPath: String) throws(FileSystemError)
    /// Removes a file.
    func remove(_ path: String) throws(FileSystemError)
    /// Creates a directory; its parent must exist.
    func createDirectory(_ path: String, permissions: UInt16) throws(FileSystemError)
    /// The names in a directory that are valid UTF-8, unordered, at most `limit`.
    func names(in path: String, limit: Int) throws(FileSystemError) -> [String]
}

/// The mode of opening a file.
package enum OpenMode: Sendable, Hashable, CaseIterable {
    /// An existing file, for reading.
    case read
    /// A new file, for writing; fails if it exists.
    case create
    /// An existing file, for overwriting from the start.
    case overwrite
    /// A file for reading and writing, created if missing.
    case readWrite
    /// A file for appending, created if missing.
    case append
    /// An existing directory, for syncing and setting permissions.
    case directory

    /// Whether a missing file is created.
    var mayCreate: Bool { self == .create || self == .readWrite || self == .append }
}

/// An open file.
package struct OpenFile: Sendable, Hashable {
    /// The file descriptor.
    package var descriptor: Int32
    /// The path that it was opened with, for error messages.
    package var path: String
    /// Whether it is a directory.
    package var isDirectory: Bool

    /// Creates a value; opens nothing.
    package init(descriptor: Int32, path: String, isDirectory: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.isDirectory = isDirectory
    }
}

/// The status of a file.
package struct FileStatus: Sendable, Hashable {
    /// Whether it is a regular file.
    package var isRegular: Bool
    /// Its length in bytes.
    package var size: Int
    /// The device of its file system.
    package var device: UInt64
    /// The inode number.
    package var inode: UInt64
    /// The owner.
    package var owner: FileOwner

    /// Creates a status.
    package init(
        isRegular: Bool,
        size: Int,
        device: UInt64,
        inode: UInt64,
        owner: FileOwner
    ) {
        self.isRegular = isRegular
        self.size = size
        self.device = device
        self.inode = inode
        self.owner = owner
    }

    /// Whether it is the same file as another, regardless of content.
    func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

/// The owner of a file: user ID and group ID.
package struct FileOwner: Sendable, Hashable {
    /// The user ID.
    package var user: UInt32
    /// The group ID.
    package var group: UInt32

    /// Creates an owner.
    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

/// A failed system call.
package struct FileSystemError: Error, Sendable, Hashable {
    /// The call's name, such as `fsync`.
    package var call: String
    /// The path.
    package var path: String
    /// `errno`.
    package var number: Int32

    /// Creates an error.
    package init(call: String, path: String, number: Int32) {
        self.call = call
        self.path = path
        self.number = number
    }
}
