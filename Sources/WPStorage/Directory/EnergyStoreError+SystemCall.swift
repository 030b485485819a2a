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
    /// Says what failed, why, and what to do about it.
    /// - Parameter attempt: what was tried, on which path, and that it failed, without a full stop.
    init(_ error: SystemCallError, while attempt: String) {
        let (code, remedy): (Code, String) =
            switch error.number {
            case ENOSPC, EDQUOT:
                (.full, "Make room on that file system or raise the quota.")
            case EACCES, EPERM:
                // A container's engine creates a directory to mount as root, where the user of the image may not write.
                (
                    .inaccessible,
                    "Give user \(geteuid()), which this program runs as, the right to it: "
                        + "chown -R \(geteuid()) that directory on the host."
                )
            case EROFS:
                (.inaccessible, "Mount that file system for writing or choose another directory.")
            case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EEXIST, EINVAL:
                (.inaccessible, "Check that the path is what it should be.")
            case EMFILE, ENFILE:
                (.io, "Raise the limit of open files.")
            case EFBIG:
                (.io, "No such file is written by this program; move it away or raise the limit of file sizes.")
            default:
                (.io, "Check the disk and the system log.")
            }
        self.init(code: code, message: "\(attempt): \(error.reason). \(remedy)")
    }
}

extension SystemCallError {
    /// What the operating system says, and of which call: `No space left on device (fsync)`.
    var reason: String { "\(String(cString: strerror(number))) (\(call))" }

    /// Whether there is no file of that name.
    var isAboutMissingFile: Bool { number == ENOENT }
}
