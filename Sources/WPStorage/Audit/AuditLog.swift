// SPDX-License-Identifier: MIT

import WPModel

/// The lines about what people changed, in a file that is only ever appended to.
///
/// At ``rotationSize`` it becomes the previous one and a new one is begun, so that both together stay bounded.
struct AuditLog {
    /// The size from which on a new file is begun.
    static let rotationSize = 1 << 20
    /// The most that is read of a file to see how it ends; more than an import of every possible device appends.
    static let largestSize = 1 << 30

    let fileSystem: any FileSystem
    let paths: EnergyPaths
    let configuration: FileEnergyStore.Configuration

    /// Appends lines and brings them to stable storage.
    func append(_ lines: [UInt8]) throws(EnergyStoreError) {
        guard !lines.isEmpty else { return }
        do {
            try write(lines)
        } catch {
            throw EnergyStoreError(
                error,
                while: "Nothing was changed, since the change could not be noted in \(paths.audit)"
            )
        }
    }

    private func write(_ lines: [UInt8]) throws(SystemCallError) {
        var file = try fileSystem.open(paths.audit, .append)
        if let size = try? fileSystem.status(of: file).size, size >= Self.rotationSize {
            try? fileSystem.close(file)
            try fileSystem.rename(paths.audit, to: paths.previousAudit)
            file = try fileSystem.open(paths.audit, .append)
        }
        do throws(SystemCallError) {
            try fileSystem.setPermissions(file, configuration.filePermissions)
            // A line that a crash cut short must not swallow the next one.
            let last = try fileSystem.readFile(paths.audit, limit: Self.largestSize)?.last
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
