// SPDX-License-Identifier: MIT

import WPLogging
import WPModel

/// Finds the last good state of a data directory. It changes nothing there.
struct StateReader {
    /// Where a state came from.
    enum Origin: Equatable {
        /// The state that was saved last.
        case current
        /// The state before it, as there is no current file: somebody removed it.
        case previousWithoutCurrent
        /// The state before it, as the current file is damaged in the way that this says.
        case previousInsteadOfDamaged(String)
        /// The text files of the Go exporter, of which there were so many.
        case adopted(Int)
        /// Nowhere: the directory is new.
        case nowhere
    }

    let fileSystem: any FileSystem
    let paths: EnergyPaths
    let logger: Logger

    /// Reads the state that a program has to go on from.
    /// - Throws: ``EnergyStoreError``: `damaged` when there was a state and none of it is good any more, `newerFormat`,
    ///   or that a file could not be read.
    func read() throws(EnergyStoreError) -> (state: StateFile, origin: Origin) {
        let current = try read(paths.current)
        if case .good(let state) = current { return (state, .current) }
        switch (current, try read(paths.previous)) {
        case (.damaged(let flaw), .good(let state)):
            return (state, .previousInsteadOfDamaged(flaw))
        case (_, .good(let state)):
            return (state, .previousWithoutCurrent)
        case (.damaged(let flaw), .missing):
            throw damaged("The energy file \(paths.current) \(flaw), and there is no earlier one to fall back on.")
        case (.damaged(let flaw), .damaged(let previousFlaw)):
            throw damaged(
                "The energy file \(paths.current) \(flaw), and the one before it, \(paths.previous), \(previousFlaw)."
            )
        case (_, .damaged(let flaw)):
            throw damaged(
                "There is no energy file \(paths.current), and the one before it, \(paths.previous), \(flaw)."
            )
        case (_, .missing):
            let records = try LegacyTotals(fileSystem: fileSystem, paths: paths, logger: logger).read()
            let origin: Origin = records.isEmpty ? .nowhere : .adopted(records.count)
            return (StateFile(generation: 0, records: records), origin)
        }
    }

    private enum Reading {
        case missing
        case good(StateFile)
        case damaged(String)
    }

    private func read(_ path: String) throws(EnergyStoreError) -> Reading {
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
            guard case .newer(let version) = error else { return .damaged(error.finding) }
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
