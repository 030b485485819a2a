// SPDX-License-Identifier: MIT

import WPLogging
import WPModel

/// Replaces the state of a data directory, whose lock its owner holds.
struct StateWriter {
    private let fileSystem: any FileSystem
    private let paths: EnergyPaths
    private let permissions: UInt16
    private let isSynchronizing: Bool
    private let logger: Logger

    private var generation = 0
    /// Whether the current file is there and good, and so worth keeping as the previous one.
    private var hasCurrent = false
    private var saidThatPreviousFails = false

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
    mutating func resume(_ state: StateFile, from origin: StateReader.Origin) throws(EnergyStoreError) {
        switch origin {
        case .current:
            hasCurrent = true
        case .previousInsteadOfDamaged(let flaw):
            let kept = try keepAside(flaw)
            logger.error(
                "The energy file is damaged; it was kept aside and the state saved before it is used",
                [
                    "path": .string(paths.current), "damage": .string(flaw), "kept_as": .string(kept),
                    "generation": .int(state.generation),
                ]
            )
        case .previousWithoutCurrent:
            logger.error(
                "The energy file is missing; the state saved before it is used",
                ["path": .string(paths.current), "generation": .int(state.generation)]
            )
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
        generation = state.generation
    }

    /// Saves the records as the next state.
    mutating func save(_ records: [EnergyRecord]) throws(EnergyStoreError) {
        let bytes = StateFile(generation: generation + 1, records: records).encoded()
        guard bytes.count <= StateFile.largestFile else {
            throw EnergyStoreError(
                code: .io,
                message: "The energy totals were not saved to \(paths.current): \(records.count) records take "
                    + "\(bytes.count) bytes, more than \(StateFile.largestFile). Remove devices that are gone."
            )
        }
        do {
            try replaceCurrent(with: bytes)
        } catch {
            throw EnergyStoreError(error, while: "The energy totals could not be saved to \(paths.current)")
        }
    }

    private mutating func replaceCurrent(with bytes: [UInt8]) throws(SystemCallError) {
        try fileSystem.writeNewFile(
            paths.temporary,
            bytes,
            permissions: permissions,
            synchronizing: isSynchronizing
        )
        if hasCurrent { keepPrevious() }
        do {
            try fileSystem.rename(paths.temporary, to: paths.current)
        } catch {
            try? fileSystem.remove(paths.temporary)
            throw error
        }
        hasCurrent = true
        generation += 1
        if isSynchronizing { try fileSystem.synchronizeDirectory(paths.directory) }
    }

    /// Gives the current file its second name. A file system without hard links, or any other failure, costs the second
    /// line of defence and not the save.
    private mutating func keepPrevious() {
        do {
            try fileSystem.removeIfPresent(paths.previous)
            try fileSystem.link(paths.current, to: paths.previous)
        } catch {
            guard !saidThatPreviousFails else { return }
            saidThatPreviousFails = true
            logger.warn(
                "The energy state before the last can't be kept; saving goes on without",
                ["path": .string(paths.previous), "error": .string(error.reason)]
            )
        }
    }

    /// Renames the damaged current file to a name that no file has. The lock makes sure that nobody else picks it.
    private func keepAside(_ flaw: String) throws(EnergyStoreError) -> String {
        do {
            for number in 1...EnergyPaths.largestDamagedNumber {
                let name = paths.damaged(number)
                guard try isFree(name) else { continue }
                try fileSystem.rename(paths.current, to: name)
                return name
            }
        } catch {
            throw EnergyStoreError(
                error,
                while: "The energy file \(paths.current) \(flaw), and could not be kept aside"
            )
        }
        throw EnergyStoreError(
            code: .damaged,
            message: "The energy file \(paths.current) \(flaw), and \(EnergyPaths.largestDamagedNumber) damaged ones "
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
