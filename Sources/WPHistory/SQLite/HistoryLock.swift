// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The exclusive write lock of a history, which the operating system releases when the process ends.
struct HistoryLock: Sendable {
    let descriptor: Int32
    private let path: String

    init(_ path: String, _ access: HistoryFileAccess = .init()) throws(HistoryStoreError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            // A container engine creates a mounted directory as root, where the image's user cannot write.
            let remedy =
                code == EACCES
                ? "give user \(geteuid()), which this program runs as, access to its directory: "
                    + "run chown -R \(geteuid()) on it"
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
                message: "the history next to \(path) is in use by another process: stop it, or choose another "
                    + "directory"
            )
        }
        access.apply(to: descriptor, at: path)
    }

    /// Whether the locked file still has this name. If not, another process could lock the current one.
    var isCurrent: Bool {
        guard let own = FileIdentity(descriptor: descriptor) else { return false }
        return FileIdentity(path: path) == own
    }

    /// Releases the lock. Closing the descriptor alone would not release it while a process forked by another thread
    /// has a copy of the descriptor, until its exec.
    func release() {
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }
}
