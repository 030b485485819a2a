// SPDX-License-Identifier: MIT

/// The system calls that ``FileEnergyStore`` makes, one function each, so that a test can make any of them fail.
///
/// The functions block and are called from the store's own queue only. An implementation retries a call that a signal
/// interrupted, and nothing else: what a failure means is the store's to decide.
package protocol FileSystem: Sendable {
    /// Opens a file or a directory. The descriptor is not inherited by child processes.
    func open(_ path: String, _ mode: OpenMode) throws(SystemCallError) -> OpenFile
    /// Closes a file. It is closed even when this throws.
    func close(_ file: OpenFile) throws(SystemCallError)
    /// What an open file is.
    func status(of file: OpenFile) throws(SystemCallError) -> FileStatus
    /// What has this name; of a symbolic link, the link.
    func status(at path: String) throws(SystemCallError) -> FileStatus
    /// Reads from where the last read ended, at most as much as the buffer holds.
    /// - Returns: the number of bytes read; 0 at the end of the file.
    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> Int
    /// Writes where the last write ended.
    /// - Returns: the number of bytes written, which may be fewer than given.
    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Int
    /// Goes to the start of a file, so that the next write begins there.
    func rewind(_ file: OpenFile) throws(SystemCallError)
    /// Empties a file and goes to its start.
    func truncate(_ file: OpenFile) throws(SystemCallError)
    /// Sets the permissions exactly, whatever the process's umask.
    func setPermissions(_ file: OpenFile, _ permissions: UInt16) throws(SystemCallError)
    /// Changes whose a file is, which only the superuser may.
    func setOwner(_ file: OpenFile, _ owner: FileOwner) throws(SystemCallError)
    /// The number of the user that this process acts as; 0 is the superuser.
    var effectiveUser: UInt32 { get }
    /// Brings a file's content, or a directory's names, to stable storage.
    func synchronize(_ file: OpenFile) throws(SystemCallError)
    /// Brings a file's content to stable storage, and of what is known about it only what it takes to read that.
    func synchronizeContent(_ file: OpenFile) throws(SystemCallError)
    /// Takes the exclusive lock of a file without waiting. It ends with the process at the latest.
    /// - Returns: false when it is held elsewhere.
    func lock(_ file: OpenFile) throws(SystemCallError) -> Bool
    /// Gives the lock of a file back.
    func unlock(_ file: OpenFile) throws(SystemCallError)
    /// Renames a file, replacing one that has the new name, in one step.
    func rename(_ path: String, to newPath: String) throws(SystemCallError)
    /// Gives a file a second name, which must not exist yet.
    func link(_ path: String, to newPath: String) throws(SystemCallError)
    /// Removes a file's name.
    func remove(_ path: String) throws(SystemCallError)
    /// Creates a directory; its parent must exist.
    func createDirectory(_ path: String, permissions: UInt16) throws(SystemCallError)
    /// The names in a directory that are valid UTF-8, in no order, at most `limit` of them.
    func names(in path: String, limit: Int) throws(SystemCallError) -> [String]
}

/// How to open a file.
package enum OpenMode: Sendable, Hashable, CaseIterable {
    /// An existing file, to read it.
    case read
    /// A file that must not exist yet, to write it.
    case create
    /// An existing file, to write over its content from its start.
    case overwrite
    /// A file that is created when it is missing, to read and write it.
    case readWrite
    /// A file that is created when it is missing, to write after its end.
    case append
    /// An existing directory, to synchronize it or set its permissions.
    case directory

    /// Whether a file that is missing is created.
    var mayCreate: Bool { self == .create || self == .readWrite || self == .append }
}

/// A file that is open.
package struct OpenFile: Sendable, Hashable {
    /// The operating system's number of it.
    package var descriptor: Int32
    /// The path that it was opened with, for error messages.
    package var path: String
    /// Whether it is a directory.
    package var isDirectory: Bool

    /// Creates a value; opens nothing.
    package init(descriptor: Int32, path: String, isDirectory: Bool = false) {
        self.descriptor = descriptor
        self.path = path
        self.isDirectory = isDirectory
    }
}

/// What a file is.
package struct FileStatus: Sendable, Hashable {
    /// Whether it is a regular file: no directory, pipe or device.
    package var isRegular: Bool
    /// Its length in bytes.
    package var size: Int
    /// The file system that it is on.
    package var device: UInt64
    /// Its number on its file system: a file that took another's name has another one.
    package var inode: UInt64
    /// Whose it is.
    package var owner: FileOwner

    /// Creates a status.
    package init(
        isRegular: Bool,
        size: Int,
        device: UInt64 = 0,
        inode: UInt64,
        owner: FileOwner = FileOwner(user: 0, group: 0)
    ) {
        self.isRegular = isRegular
        self.size = size
        self.device = device
        self.inode = inode
        self.owner = owner
    }

    /// Whether it is the same file as another, whatever became of its content.
    func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}

/// Whose a file is: the numbers of a user and of a group.
package struct FileOwner: Sendable, Hashable {
    /// The user's number.
    package var user: UInt32
    /// The group's number.
    package var group: UInt32

    /// Creates an owner.
    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

/// A system call that failed.
package struct SystemCallError: Error, Sendable, Hashable {
    /// The call's name, such as `fsync`.
    package var call: String
    /// What it was called on.
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
