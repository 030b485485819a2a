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
    /// Says what failed and why, and hints at what to do about it.
    /// - Parameter attempt: what was tried, on which path, and that it failed, without a full stop.
    init(_ error: SystemCallError, while attempt: String) {
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

extension SystemCallError {
    /// What the operating system says, and of which call: `No space left on device (fsync)`.
    var reason: String { "\(String(cString: strerror(number))) (\(call))" }

    /// Whether there is no file of that name.
    var isAboutMissingFile: Bool { number == ENOENT }
}
