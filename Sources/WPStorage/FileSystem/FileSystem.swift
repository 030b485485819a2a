// SPDX-License-Identifier: MIT

/// The system calls that ``FileEnergyStore`` makes, one function each, so that a test can make any of them fail.
///
/// The functions block and are called from the store's own queue only. An implementation retries a call that a signal
/// interrupted, and nothing else: what a failure means is the store's to decide.
public protocol FileSystem: Sendable {
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
    /// Brings a file's content, or a directory's names, to stable storage.
    func synchronize(_ file: OpenFile) throws(SystemCallError)
    /// Brings a file's content to stable storage, and of what is known about it only what it takes to read that.
    func synchronizeContent(_ file: OpenFile) throws(SystemCallError)
    /// Takes the exclusive lock of a file without waiting. It ends with the process at the latest.
    /// - Returns: false when somebody else has it.
    func lock(_ file: OpenFile) throws(SystemCallError) -> Bool
    /// Gives the lock of a file back.
    func unlock(_ file: OpenFile) throws(SystemCallError)
    /// Renames a file, replacing one that has the new name, in one step.
    func rename(_ path: String, to newPath: String) throws(SystemCallError)
    /// Removes a file's name.
    func remove(_ path: String) throws(SystemCallError)
    /// Creates a directory; its parent must exist.
    func createDirectory(_ path: String, permissions: UInt16) throws(SystemCallError)
    /// The names in a directory that are valid UTF-8, in no order, at most `limit` of them.
    func names(in path: String, limit: Int) throws(SystemCallError) -> [String]
}

/// How to open a file.
public enum OpenMode: Sendable, Hashable, CaseIterable {
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
}

/// A file that is open.
public struct OpenFile: Sendable, Hashable {
    /// The operating system's number of it.
    public var descriptor: Int32
    /// The path that it was opened with, for error messages.
    public var path: String

    /// Creates a value; opens nothing.
    public init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// What a file is.
public struct FileStatus: Sendable, Hashable {
    /// Whether it is a regular file: no directory, pipe or device.
    public var isRegular: Bool
    /// Its length in bytes.
    public var size: Int
    /// Its number on its file system: a file that took another's name has another one.
    public var inode: UInt64

    /// Creates a status.
    public init(isRegular: Bool, size: Int, inode: UInt64) {
        self.isRegular = isRegular
        self.size = size
        self.inode = inode
    }
}

/// A system call that failed.
public struct SystemCallError: Error, Sendable, Hashable {
    /// The call's name, such as `fsync`.
    public var call: String
    /// What it was called on.
    public var path: String
    /// `errno`.
    public var number: Int32

    /// Creates an error.
    public init(call: String, path: String, number: Int32) {
        self.call = call
        self.path = path
        self.number = number
    }
}
