// SPDX-License-Identifier: MIT

/// Reads the small files that settings name: the configuration itself, secrets, and authorities.
package protocol SettingsFileReader: Sendable {
    /// Reads a whole file. It may block on a slow file system, so do not call it on the cooperative pool.
    /// - Parameters:
    ///   - path: the file; a relative one is relative to the working directory.
    ///   - limit: the maximum size in bytes.
    /// - Throws: ``SettingsFileError``, with ``SettingsFileError/Code/missing`` when there is nothing at the path.
    func read(_ path: String, limit: Int) throws(SettingsFileError) -> SettingsFile
}

/// What was read.
package struct SettingsFile: Sendable, Hashable {
    /// The content.
    package var bytes: [UInt8]
    /// Whether any account of the machine may read the file (the permission bit `o+r`).
    package var isReadableByAll: Bool

    /// Creates a file.
    package init(bytes: [UInt8], isReadableByAll: Bool = false) {
        self.bytes = bytes
        self.isReadableByAll = isReadableByAll
    }
}

/// A file that settings name could not be used.
public struct SettingsFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nothing is at the path.
        case missing
        /// The path is a directory, a pipe or a device.
        case notAFile
        /// The system refused, for example for lack of permission.
        case failed
        /// The file is larger than allowed.
        case tooLarge
        /// The content is not what it should be. The message does not quote it.
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
