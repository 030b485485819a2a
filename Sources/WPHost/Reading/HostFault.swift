// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A value that could not be read. Other values are not affected.
public struct HostFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause.
    package enum Reason: Error, Hashable {
        /// A system call failed with this `errno`.
        case system(Int32)
        /// The text does not match proc(5) or the kernel's documentation.
        case malformed
        /// The call did not return before its deadline.
        case timedOut
        /// An earlier call on the same file or mount point has not returned, so no other call was made.
        case stuck
        /// The file is longer than any plausible kernel file.
        case tooLong
    }

    /// The file or mount point, and the line if there is one.
    package let subject: String
    /// The cause.
    package let reason: Reason

    package init(_ reason: Reason, _ subject: String) {
        self.subject = subject
        self.reason = reason
    }

    /// Subject and reason, such as `/proc/loadavg: malformed`.
    public var description: String {
        switch reason {
        case .system(let code): "\(subject): \(String(cString: strerror(code)))"
        case .malformed: "\(subject): malformed"
        case .timedOut: "\(subject): no answer before the deadline"
        case .stuck: "\(subject): skipped, because an earlier call has not returned"
        case .tooLong: "\(subject): too long"
        }
    }

    /// Whether the file does not exist on this machine.
    var isAbsence: Bool { reason == .system(ENOENT) || reason == .system(ENOTDIR) }
}

extension HostFault.Reason {
    /// Whether a driver reports that it has no value, permanently or at the moment.
    var isUnsupported: Bool {
        switch self {
        case .system(let code):
            [ENOENT, ENOTDIR, EINVAL, EOPNOTSUPP, ENOTSUP, ENODATA, EAGAIN, ENXIO, ENODEV, EACCES, EPERM, EBUSY]
                .contains(code)
        default: false
        }
    }
}
