// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One value that could not be read. It costs that value and no other.
public struct HostFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    package enum Reason: Sendable, Hashable {
        /// A system call failed with this `errno`.
        case system(Int32)
        /// The text is not what proc(5) or the kernel's documentation describes.
        case malformed
        /// The call did not return before its deadline.
        case timedOut
        /// An earlier call on the same file or mount point still has not returned, so none was made.
        case stuck
        /// The file is longer than a kernel file can reasonably be.
        case tooLong
    }

    /// The file or mount point, and the line if one is to blame.
    package let subject: String
    /// What went wrong.
    package let reason: Reason

    package init(_ reason: Reason, _ subject: String) {
        self.subject = subject
        self.reason = reason
    }

    /// The whole sentence, such as `/proc/loadavg: malformed`.
    public var description: String {
        switch reason {
        case .system(let code): "\(subject): \(String(cString: strerror(code)))"
        case .malformed: "\(subject): malformed"
        case .timedOut: "\(subject): no answer before the deadline"
        case .stuck: "\(subject): not asked, an earlier call has not returned yet"
        case .tooLong: "\(subject): too long"
        }
    }

    /// Whether it says that this machine does not have the file at all.
    var isAbsence: Bool { reason == .system(ENOENT) || reason == .system(ENOTDIR) }
}

extension HostFault.Reason {
    /// Whether it is a driver's way to say that it does not have a value, or not at the moment.
    var isUnsupported: Bool {
        switch self {
        case .system(let code):
            [ENOENT, ENOTDIR, EINVAL, EOPNOTSUPP, ENOTSUP, ENODATA, EAGAIN, ENXIO, ENODEV, EACCES, EPERM, EBUSY]
                .contains(code)
        default: false
        }
    }
}
