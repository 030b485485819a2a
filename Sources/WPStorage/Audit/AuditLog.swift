// SPDX-License-Identifier: MIT

import WPModel

/// The append-only log of manual changes.
///
/// Rotated at ``rotationSize``; one previous file is kept.
struct AuditLog {
    /// The size in bytes at which the file is rotated.
    static let rotationSize = 1 << 20

    let fileSystem: any FileSystem
    let paths: EnergyPaths
    let configuration: FileEnergyStore.Configuration

    /// Appends lines and syncs them to disk.
    func append(_ lines: [UInt8]) throws(EnergyStoreError) {
        guard !lines.isEmpty else { return }
        do {
            try write(lines)
        } catch {
            throw EnergyStoreError(
                error,
                while: "Nothing was changed, because the change could not be recorded in \(paths.audit)"
            )
        }
    }

    private func write(_ lines: [UInt8]) throws(FileSystemError) {
        var file = try fileSystem.open(paths.audit, .append)
        // lint: without a size the log is not rotated
        if let size = try? fileSystem.status(of: file).size, size >= Self.rotationSize {
            try? fileSystem.close(file)
            try fileSystem.rename(paths.audit, to: paths.previousAudit)
            file = try fileSystem.open(paths.audit, .append)
        }
        do throws(FileSystemError) {
            try fileSystem.setPermissions(file, configuration.filePermissions)
            // A crash may have truncated the last line. The file is within the limit, because a larger one has been
            // rotated.
            let last = try fileSystem.readFile(paths.audit, limit: Self.rotationSize)?.last
            let isCutShort = last.map { $0 != UInt8(ascii: "\n") } ?? false
            try fileSystem.writeAll(file, (isCutShort ? [UInt8(ascii: "\n")] : []) + lines)
            if configuration.syncWrites { try fileSystem.synchronize(file) }
        } catch {
            try? fileSystem.close(file)
            throw error
        }
        try fileSystem.close(file)
        if configuration.syncWrites { try fileSystem.synchronizeDirectory(paths.directory) }
    }
}
