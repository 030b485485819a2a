// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The permissions and the owner of a history's files. If root opens the history, the files belong to the owner of
/// their directory, so that one start as root does not lock out the service's user.
///
/// SQLite gives the files next to a database the owner and the permissions of the database.
struct HistoryFileAccess: Sendable, Hashable {
    var permissions: UInt16 = 0o644

    /// Prepares the database, which is created if missing, and the files that an earlier process left next to it.
    func prepare(_ path: String) {
        apply(toFileAt: path, flags: O_CREAT)
        for companion in SQLiteHistoryFile.companions { apply(toFileAt: path + companion, flags: 0) }
    }

    private func apply(toFileAt path: String, flags: Int32) {
        // Errors are reported when the database is opened. Links are not followed, so that no other file's owner
        // changes.
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0o600)
        guard descriptor >= 0 else { return }
        apply(to: descriptor, at: path)
        _ = close(descriptor)
    }

    /// Sets owner and permissions of an open file. Failures are ignored: a file system without permissions can still
    /// store a history.
    func apply(to descriptor: Int32, at path: String) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1 else { return }
        let isRoot = geteuid() == 0
        guard isRoot || status.st_uid == geteuid() else { return }
        if isRoot, let owner = Self.owner(ofDirectoryOf: path), owner.user != 0,
            owner.user != status.st_uid || owner.group != status.st_gid
        {
            _ = fchown(descriptor, owner.user, owner.group)
        }
        if status.st_mode & 0o7777 != mode_t(permissions) { _ = fchmod(descriptor, mode_t(permissions)) }
    }

    private static func owner(ofDirectoryOf path: String) -> (user: uid_t, group: gid_t)? {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        return stat(directory, &status) == 0 ? (status.st_uid, status.st_gid) : nil
    }
}
