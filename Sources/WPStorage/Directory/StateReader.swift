// SPDX-License-Identifier: MIT

import WPLogging
import WPModel

/// Finds the last good state of a data directory. It changes nothing there.
struct StateReader {
    /// What was found.
    struct Finding {
        /// The state to go on from.
        var state: StateFile
        /// Where it came from.
        var origin: Origin
        /// What is wrong with the other file; nil when nothing is, or there is no other.
        var damage: Damage?
        /// Whether there is just one file, as after the first save.
        var isAlone = false
    }

    /// Where a state came from.
    enum Origin: Equatable {
        /// This one of the two files.
        case saved(Slot)
        /// The text files of the Go exporter, of which there were so many.
        case adopted(Int)
        /// Nowhere: the directory is new.
        case nowhere
    }

    /// A file that is no sound state.
    struct Damage: Equatable {
        /// Which one.
        var slot: Slot
        /// What is wrong with it, to stand after "the file".
        var flaw: String
        /// Whether it held an older state than the one that is used, so that nothing is lost with it.
        var wasOlder: Bool
    }

    let fileSystem: any FileSystem
    let paths: EnergyPaths
    let logger: Logger

    /// Reads the state that a program has to go on from: the one of the highest generation that is sound.
    /// - Throws: ``EnergyStoreError``: `damaged` when there was a state and none of it is good any more, `newerFormat`,
    ///   or that a file could not be read.
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
            let records = try LegacyTotals(fileSystem: fileSystem, paths: paths, logger: logger).read()
            return Finding(
                state: StateFile(generation: 0, records: records),
                origin: records.isEmpty ? .nowhere : .adopted(records.count)
            )
        }
    }

    private func finding(_ state: StateFile, in slot: Slot, _ other: Reading) -> Finding {
        guard case .damaged(let flaw, let generation) = other else {
            return Finding(state: state, origin: .saved(slot), isAlone: true)
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
        /// With the generation that its header names, if that can be read.
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
                message: "The energy file \(path) has format version \(version) and this program knows up to "
                    + "\(StateFile.version). It was left as it is; run the program that wrote it, or a newer one."
            )
        }
    }

    private func damaged(_ finding: String) -> EnergyStoreError {
        EnergyStoreError(
            code: .damaged,
            message:
                "\(finding) Nothing was changed. Put a backup in its place, or move the files away to start at zero."
        )
    }
}
