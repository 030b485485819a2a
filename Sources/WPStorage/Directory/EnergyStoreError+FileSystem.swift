// SPDX-License-Identifier: MIT

import WPModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension EnergyStoreError {
    /// Creates an error that says what failed and why, with a hint.
    /// - Parameter attempt: the failed operation and path, without a full stop.
    init(_ error: FileSystemError, while attempt: String) {
        let (code, hint): (Code, Hint) =
            switch error.number {
            case ENOSPC, EDQUOT: (.full, .makeRoom)
            case EACCES, EPERM: (.inaccessible, .grantAccess)
            case EROFS: (.inaccessible, .mountWritable)
            case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST, EINVAL: (.inaccessible, .checkPath)
            case EMFILE, ENFILE: (.io, .raiseFileLimit)
            case EFBIG: (.io, .moveLargeFile)
            default: (.io, .checkDisk)
            }
        self.init(code: code, message: "\(attempt): \(error.reason).", hint: hint)
    }
}

extension FileSystemError {
    /// The system's message and the call: `No space left on device (fsync)`.
    var reason: String { "\(String(cString: strerror(number))) (\(call))" }

    /// Whether the file does not exist.
    var isAboutMissingFile: Bool { number == ENOENT }
}
