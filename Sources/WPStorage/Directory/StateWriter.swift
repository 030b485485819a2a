// SPDX-License-Identifier: MIT

import WPLogging
import WPModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces the state of a data directory, whose lock its owner holds.
struct StateWriter {
    private let fileSystem: any FileSystem
    private let paths: EnergyPaths
    private let permissions: UInt16
    private let isSynchronizing: Bool
    private let logger: Logger

    private var generation = 0
    /// The file that holds the state that was saved last; nil before the first.
    private var newest: Slot?
    /// The sizes of the files that this process has written anew, whose names are therefore on the disk and whose
    /// permissions are right. Only these are written over.
    private var sizes: [Slot: Int] = [:]

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

    /// Tidies the directory and goes on from the state that was found there, which it reports.
    mutating func resume(_ finding: StateReader.Finding) throws(EnergyStoreError) {
        if let damage = finding.damage { try report(damage, using: finding.state) }
        switch finding.origin {
        case .saved(let slot):
            newest = slot
            if finding.isAlone, finding.state.generation > 1 {
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
        case .nowhere:
            logger.info("There are no energy totals yet", ["path": .string(paths.directory)])
        }
        do {
            try fileSystem.removeIfPresent(paths.temporary)
        } catch {
            throw EnergyStoreError(error, while: "The left-over file \(paths.temporary) could not be removed")
        }
        generation = finding.state.generation
    }

    /// Saves the records as the next state.
    mutating func save(_ records: [EnergyRecord]) throws(EnergyStoreError) {
        let slot = newest?.other ?? .a
        let bytes = StateFile(generation: generation + 1, records: records).encoded(filling: sizes[slot])
        guard bytes.count <= StateFile.largestFile else {
            throw EnergyStoreError(
                code: .io,
                message: "The energy totals were not saved to \(paths.state(slot)): \(records.count) records take "
                    + "\(bytes.count) bytes, more than \(StateFile.largestFile). Remove devices that are gone."
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

    /// Writes over the older file. The newer one is the state that a crash meanwhile leaves.
    ///
    /// After a failed sync the kernel may have dropped the pages and call the next sync a success. So nothing is tried
    /// twice: the file goes, and the next save writes a new one.
    /// - Returns: false, having changed nothing, when there is no file of this size to write over.
    private mutating func overwrite(_ slot: Slot, with bytes: [UInt8]) throws(SystemCallError) -> Bool {
        guard sizes[slot] == bytes.count else { return false }
        let path = paths.state(slot)
        let file: OpenFile
        do {
            file = try fileSystem.open(path, .overwrite)
        } catch {
            // Somebody removed it, or put something else in its place.
            guard error.number == ENOENT || error.number == ELOOP else { throw error }
            return false
        }
        do throws(SystemCallError) {
            let status = try fileSystem.status(of: file)
            guard status.isRegular, status.size == bytes.count else {
                try? fileSystem.close(file)
                return false
            }
        } catch {
            try? fileSystem.close(file)
            throw error
        }
        sizes[slot] = nil
        do throws(SystemCallError) {
            do throws(SystemCallError) {
                try fileSystem.writeAll(file, bytes)
                if isSynchronizing { try fileSystem.synchronizeContent(file) }
            } catch {
                try? fileSystem.close(file)
                throw error
            }
            try fileSystem.close(file)
        } catch {
            try? fileSystem.remove(path)
            throw error
        }
        sizes[slot] = bytes.count
        return true
    }

    /// Puts a new file in the place of the older one.
    private mutating func replace(_ slot: Slot, with bytes: [UInt8]) throws(SystemCallError) {
        sizes[slot] = nil
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
        sizes[slot] = bytes.count
    }

    /// Keeps a file that is no sound state aside and says so.
    private func report(_ damage: StateReader.Damage, using state: StateFile) throws(EnergyStoreError) {
        let kept = try keepAside(damage)
        let fields: LogFields = [
            "path": .string(paths.state(damage.slot)), "damage": .string(damage.flaw), "kept_as": .string(kept),
            "generation": .int(state.generation),
        ]
        if damage.wasOlder {
            logger.warn("The older energy file is damaged; it was kept aside, and no total is affected", fields)
        } else {
            logger.error(
                "An energy file is damaged, or a crash cut its last save short; it was kept aside and the state in the "
                    + "other file is used",
                fields
            )
        }
    }

    /// Renames a damaged file to a name that no file has. The lock makes sure that nobody else picks it.
    private func keepAside(_ damage: StateReader.Damage) throws(EnergyStoreError) -> String {
        let path = paths.state(damage.slot)
        do {
            for number in 1...EnergyPaths.largestDamagedNumber {
                let name = paths.damaged(number)
                guard try isFree(name) else { continue }
                try fileSystem.rename(path, to: name)
                return name
            }
        } catch {
            throw EnergyStoreError(error, while: "The energy file \(path) \(damage.flaw), and could not be kept aside")
        }
        throw EnergyStoreError(
            code: .damaged,
            message: "The energy file \(path) \(damage.flaw), and \(EnergyPaths.largestDamagedNumber) damaged ones "
                + "are kept already. Nothing was changed. Check the disk, and move \(paths.damaged(1)) and on away."
        )
    }

    private func isFree(_ path: String) throws(SystemCallError) -> Bool {
        do {
            try fileSystem.close(fileSystem.open(path, .read))
            return false
        } catch {
            guard error.isAboutMissingFile else { throw error }
            return true
        }
    }
}
