// SPDX-License-Identifier: MIT

/// Reads the small files that settings name: the configuration file, secrets, and certificate authorities.
package protocol SettingsFileReader: Sendable {
    /// Reads a whole file. May block on a slow file system, so do not call it on the cooperative pool.
    /// - Parameters:
    ///   - path: the file; relative paths are relative to the working directory.
    ///   - limit: the maximum size in bytes.
    /// - Throws: ``SettingsFileError``, with ``SettingsFileError/Code/missing`` if the path does not exist.
    func read(_ path: String, limit: Int) throws(SettingsFileError) -> SettingsFile

    /// Whether modules that open a file by its path see the same files.
    var isFileSystem: Bool { get }
}

extension SettingsFileReader {
    /// False, for readers whose files exist only in a test or a program.
    package var isFileSystem: Bool { false }
}

/// The result of reading a file.
package struct SettingsFile: Sendable, Hashable {
    /// The content.
    package var bytes: [UInt8]
    /// Whether every account on the machine may read the file (permission bit `o+r`).
    package var isReadableByAll: Bool

    /// Creates a file.
    package init(bytes: [UInt8], isReadableByAll: Bool = false) {
        self.bytes = bytes
        self.isReadableByAll = isReadableByAll
    }
}

/// A file named by a setting is unusable.
public struct SettingsFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The path does not exist.
        case missing
        /// The path is a directory, a pipe or a device.
        case notAFile
        /// The system call failed, for example for lack of permission.
        case failed
        /// The file is larger than allowed.
        case tooLarge
        /// The content is malformed. The message does not quote it.
        case malformed
    }

    /// The kind.
    package let code: Code
    /// The file.
    package let path: String
    /// What is wrong with it.
    package let message: String

    /// Creates an error.
    package init(_ code: Code, path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    /// `cannot use PATH: message`.
    public var description: String { "cannot use \(path): \(message)" }
}
