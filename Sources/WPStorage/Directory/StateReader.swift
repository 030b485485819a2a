// SPDX-License-Identifier: MIT

import WPLogging
import WPModel

/// Finds the last valid state of a data directory. Read-only.
struct StateReader {
    /// The result.
    struct Finding {
        /// The state to resume from.
        var state: StateFile
        /// Its origin.
        var origin: Origin
        /// The damage to the other file; nil if it is valid or missing.
        var damage: Damage?
        /// Whether there is no other file, for example after the first save.
        var isOnlyFile = false
    }

    /// The origin of a state.
    enum Origin: Equatable {
        /// One of the two files.
        case saved(Slot)
        /// This number of text files of the Go exporter.
        case adopted(Int)
        /// None: the directory is new.
        case nowhere
        /// None, although these files show that totals were saved.
        case lost(evidence: [String])
    }

    /// An invalid state file.
    struct Damage: Equatable {
        /// The file.
        var slot: Slot
        /// What is wrong with it, as a predicate of "the file".
        var flaw: String
        /// Whether its state is older than the one in use, so that nothing is lost.
        var wasOlder: Bool
    }

    let fileSystem: any FileSystem
    let paths: EnergyPaths
    /// Whether the lock file showed saved totals before this process wrote to it; nil to check it now.
    var lockHadTotals: Bool?
    let logger: Logger

    /// The files that show that totals were once saved.
    private func evidence() throws(EnergyStoreError) -> [String] {
        do throws(FileSystemError) {
            var files: [String] = []
            let hadTotals: Bool
            if let lockHadTotals {
                hadTotals = lockHadTotals
            } else {
                hadTotals = try DirectoryLock.hadTotals(paths, fileSystem)
            }
            if hadTotals { files.append(paths.lock) }
            let names = try fileSystem.names(in: paths.directory, limit: 100_000)
            for name in names.sorted() {
                let path = paths.inside(name)
                if paths.isDamaged(name) || path == paths.audit || path == paths.previousAudit { files.append(path) }
            }
            return files
        } catch {
            if error.isAboutMissingFile { return [] }
            throw EnergyStoreError(error, while: "The data directory \(paths.directory) could not be listed")
        }
    }

    /// Reads the state to resume from: the valid one with the highest generation.
    /// - Throws: ``EnergyStoreError``: `damaged` if no file is valid, `newerFormat`, or why a file could not be read.
    func read() throws(EnergyStoreError) -> Finding {
        switch (try read(.a), try read(.b)) {
        case (.good(let a), .good(let b)):
            return a.generation >= b.generation
                ? Finding(state: a, origin: .saved(.a)) : Finding(state: b, origin: .saved(.b))
        case (.good(let state), let other):
            return finding(state, in: .a, other)
        case (let other, .good(let state)):
            return finding(state, in: .b, other)
        case (.damaged(let flaw, _), .missing):
            throw damaged("The energy file \(paths.state(.a)) \(flaw), and there is no other one to fall back on.")
        case (.missing, .damaged(let flaw, _)):
            throw damaged("The energy file \(paths.state(.b)) \(flaw), and there is no other one to fall back on.")
        case (.damaged(let flaw, _), .damaged(let otherFlaw, _)):
            throw damaged("The energy file \(paths.state(.a)) \(flaw), and \(paths.state(.b)) \(otherFlaw).")
        case (.missing, .missing):
            let evidence = try evidence()
            guard evidence.isEmpty else {
                return Finding(state: StateFile(generation: 0, records: []), origin: .lost(evidence: evidence))
            }
            let records = try LegacyTotals(fileSystem: fileSystem, paths: paths, logger: logger).read()
            return Finding(
                state: StateFile(generation: 0, records: records),
                origin: records.isEmpty ? .nowhere : .adopted(records.count)
            )
        }
    }

    private func finding(_ state: StateFile, in slot: Slot, _ other: Reading) -> Finding {
        guard case .damaged(let flaw, let generation) = other else {
            return Finding(state: state, origin: .saved(slot), isOnlyFile: true)
        }
        let wasOlder = generation.map { $0 < state.generation } ?? false
        return Finding(
            state: state,
            origin: .saved(slot),
            damage: Damage(slot: slot.other, flaw: flaw, wasOlder: wasOlder)
        )
    }

    private enum Reading {
        case missing
        case good(StateFile)
        /// With the generation in its header, if readable.
        case damaged(String, generation: Int?)
    }

    private func read(_ slot: Slot) throws(EnergyStoreError) -> Reading {
        let path = paths.state(slot)
        let bytes: [UInt8]?
        do {
            bytes = try fileSystem.readFile(path, limit: StateFile.largestFile)
        } catch {
            throw EnergyStoreError(error, while: "The energy file \(path) could not be read")
        }
        guard let bytes else { return .missing }
        do {
            return .good(try StateFile(decoding: bytes))
        } catch {
            guard case .newer(let version) = error else {
                return .damaged(error.finding, generation: StateFile.generation(inHeaderOf: bytes))
            }
            throw EnergyStoreError(
                code: .newerFormat,
                message: "The energy file \(path) has format version \(version) and this program reads up to "
                    + "\(StateFile.version). It was left as it is.",
                hint: .runNewerProgram
            )
        }
    }

    private func damaged(_ finding: String) -> EnergyStoreError {
        EnergyStoreError(code: .damaged, message: "\(finding) Nothing was changed.", hint: .restoreBackup)
    }
}
