// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The right to write to a history, which one process has at a time: a lock of the operating system, which ends with the
/// process.
struct HistoryLock: Sendable {
    let descriptor: Int32
    private let path: String

    init(_ path: String, _ access: HistoryFileAccess = .init()) throws(HistoryStoreError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            // A container's engine creates a directory to mount as root, where the user of the image may not write.
            let remedy =
                code == EACCES
                ? "give user \(geteuid()), which this program runs as, the right to its directory: chown -R \(geteuid()) it"
                : "check its owner and permissions"
            throw HistoryStoreError(
                code: .failed,
                message: "the lock file \(path) could not be opened: \(String(cString: strerror(code))): \(remedy)"
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(descriptor)
            throw HistoryStoreError(
                code: .locked,
                message: "the history beside \(path) is in use by another process: stop it, or choose another directory"
            )
        }
        access.apply(to: descriptor, at: path)
    }

    /// Whether the locked file is still the one of this name. If not, another process could lock that one.
    var isCurrent: Bool {
        guard let own = FileIdentity(descriptor: descriptor) else { return false }
        return FileIdentity(path: path) == own
    }

    /// Gives it back. Closing alone would not while a process that another thread starts has a copy of the descriptor, as it
    /// does until it runs another program.
    func release() {
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }
}
