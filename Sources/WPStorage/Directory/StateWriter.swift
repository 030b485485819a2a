// SPDX-License-Identifier: MIT

import WPLogging
import WPModel

/// Replaces the state of a data directory. The caller must hold the lock.
struct StateWriter {
    private let fileSystem: any FileSystem
    private let paths: EnergyPaths
    private let permissions: UInt16
    private let isSynchronizing: Bool
    private let logger: Logger

    private var generation = 0
    /// The file of the last saved state; nil before the first save.
    private var newest: Slot?
    /// The files that this process created, with synced names and correct permissions. Only these are overwritten.
    private var files: [Slot: OwnFile] = [:]

    private struct OwnFile {
        var status: FileStatus
        /// Nil until it is first overwritten.
        var file: OpenFile?
    }

    init(
        fileSystem: any FileSystem,
        paths: EnergyPaths,
        configuration: FileEnergyStore.Configuration,
        logger: Logger
    ) {
        self.fileSystem = fileSystem
        self.paths = paths
        self.logger = logger
        permissions = configuration.filePermissions
        isSynchronizing = configuration.syncWrites
    }

    /// Cleans up the directory, logs the state found, and resumes from it.
    mutating func resume(_ finding: StateReader.Finding) throws(EnergyStoreError) {
        if let damage = finding.damage { try report(damage, using: finding.state) }
        switch finding.origin {
        case .saved(let slot):
            newest = slot
            if finding.isOnlyFile, finding.state.generation > 1 {
                logger.info(
                    "One of the two energy files is missing; the other one is used",
                    ["path": .string(paths.state(slot.other)), "generation": .int(finding.state.generation)]
                )
            }
        case .adopted(let count):
            logger.info(
                "Energy totals of the Go exporter were adopted",
                ["path": .string(paths.directory), "devices": .int(count)]
            )
        case .lost(let evidence):
            logger.error(
                "The saved energy totals are gone; every device starts at zero, and no text files were adopted",
                [
                    "path": .string(paths.directory),
                    "evidence": .string(evidence.joined(separator: ", ")),
                ]
            )
        case .nowhere:
            logger.info("There are no energy totals yet", ["path": .string(paths.directory)])
        }
        do {
            try fileSystem.removeIfPresent(paths.temporary)
            try? fileSystem.removeIfPresent(paths.temporaryLock)
        } catch {
            throw EnergyStoreError(error, while: "The leftover file \(paths.temporary) could not be removed")
        }
        generation = finding.state.generation
    }

    /// Makes the next state the newest, even if another process has saved one while the lock file was missing. This
    /// process metered the same devices without interruption.
    mutating func supersede(_ finding: StateReader.Finding) {
        guard case .saved(let slot) = finding.origin, finding.state.generation > generation else { return }
        close()
        newest = slot
        logger.warn(
            "Another process has saved energy totals in this directory; those of this process replace them",
            [
                "path": .string(paths.state(slot)), "generation": .int(generation),
                "other_generation": .int(finding.state.generation),
            ]
        )
        generation = finding.state.generation
    }

    /// Saves the records as the next state.
    mutating func save(_ records: [EnergyRecord]) throws(EnergyStoreError) {
        let slot = newest?.other ?? .a
        let bytes = StateFile(generation: generation + 1, records: records).encoded(filling: files[slot]?.status.size)
        guard bytes.count <= StateFile.largestFile else {
            throw EnergyStoreError(
                code: .io,
                message: "The energy totals were not saved to \(paths.state(slot)): \(records.count) records take "
                    + "\(bytes.count) bytes, more than \(StateFile.largestFile).",
                hint: .removeDevices
            )
        }
        do {
            if try !overwrite(slot, with: bytes) { try replace(slot, with: bytes) }
        } catch {
            throw EnergyStoreError(error, while: "The energy totals could not be saved to \(paths.state(slot))")
        }
        newest = slot
        generation += 1
    }

    /// Closes the open files.
    mutating func close() {
        for slot in Slot.allCases { forget(slot) }
    }

    /// Overwrites the older file. The newer one survives a crash.
    ///
    /// After a failed sync the kernel may drop the pages and report success for the next sync. So nothing is retried:
    /// the file is abandoned, and the next save writes a new one.
    /// - Returns: false, without changes, if there is no such file of this size.
    private mutating func overwrite(_ slot: Slot, with bytes: [UInt8]) throws(FileSystemError) -> Bool {
        guard let file = try fileToOverwrite(slot, size: bytes.count) else { return false }
        do throws(FileSystemError) {
            try fileSystem.writeAll(file, bytes)
            if isSynchronizing { try fileSystem.synchronizeContent(file) }
        } catch {
            forget(slot)
            try? fileSystem.remove(paths.state(slot))
            throw error
        }
        return true
    }

    /// The file, rewound. It stays open, because opening and closing takes a third of the time of a sync.
    /// - Returns: nil if there is no such file of this size, for example because it was removed or replaced.
    private mutating func fileToOverwrite(_ slot: Slot, size: Int) throws(FileSystemError) -> OpenFile? {
        guard let own = files[slot], own.status.size == size else { return nil }
        do throws(FileSystemError) {
            if try fileSystem.status(at: paths.state(slot)) == own.status {
                if let file = own.file {
                    try fileSystem.rewind(file)
                    return file
                }
                let file = try fileSystem.open(paths.state(slot), .overwrite)
                files[slot]?.file = file
                return file
            }
        } catch {
            guard error.isAboutMissingFile else { throw error }
        }
        forget(slot)
        return nil
    }

    /// Makes the next save write a new file.
    private mutating func forget(_ slot: Slot) {
        // All data is on disk, or was abandoned.
        if let file = files.removeValue(forKey: slot)?.file { try? fileSystem.close(file) }
    }

    /// Replaces the older file with a new one.
    private mutating func replace(_ slot: Slot, with bytes: [UInt8]) throws(FileSystemError) {
        forget(slot)
        try fileSystem.writeNewFile(
            paths.temporary,
            bytes,
            permissions: permissions,
            synchronizing: isSynchronizing
        )
        do {
            try fileSystem.rename(paths.temporary, to: paths.state(slot))
        } catch {
            try? fileSystem.remove(paths.temporary)
            throw error
        }
        if isSynchronizing { try fileSystem.synchronizeDirectory(paths.directory) }
        // lint: without a status, the next save writes a new file
        if let status = try? fileSystem.status(at: paths.state(slot)), status.isRegular, status.size == bytes.count {
            files[slot] = OwnFile(status: status)
        }
    }

    /// Renames an invalid state file and logs it.
    private func report(_ damage: StateReader.Damage, using state: StateFile) throws(EnergyStoreError) {
        let kept = try setAside(damage)
        let fields: LogFields = [
            "path": .string(paths.state(damage.slot)), "damage": .string(damage.flaw), "kept_as": .string(kept),
            "generation": .int(state.generation),
        ]
        if damage.wasOlder {
            logger.warn("The older energy file is damaged; it was set aside, and no total is affected", fields)
        } else {
            logger.error(
                "An energy file is damaged, or a crash cut its last save short; it was set aside and the state in the "
                    + "other file is used",
                fields
            )
        }
    }

    /// Renames a damaged file to a free name. The lock prevents conflicts.
    private func setAside(_ damage: StateReader.Damage) throws(EnergyStoreError) -> String {
        let path = paths.state(damage.slot)
        do {
            for number in 1...EnergyPaths.largestDamagedNumber {
                let name = paths.damaged(number)
                guard try isFree(name) else { continue }
                try fileSystem.rename(path, to: name)
                return name
            }
        } catch {
            throw EnergyStoreError(error, while: "The energy file \(path) \(damage.flaw), and could not be set aside")
        }
        throw EnergyStoreError(
            code: .damaged,
            message: "The energy file \(path) \(damage.flaw), and \(EnergyPaths.largestDamagedNumber) damaged ones "
                + "are already kept, starting with \(paths.damaged(1)). Nothing was changed.",
            hint: .moveDamagedFiles
        )
    }

    private func isFree(_ path: String) throws(FileSystemError) -> Bool {
        do {
            try fileSystem.close(fileSystem.open(path, .read))
            return false
        } catch {
            guard error.isAboutMissingFile else { throw error }
            return true
        }
    }
}
