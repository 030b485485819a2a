// SPDX-License-Identifier: MIT

import WPModel
import WPProgram

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An energy store that adds a remedy to its errors, in terms of this program's settings and commands.
struct AdvisedEnergyStore: EnergyStore {
    private let store: any EnergyStore

    init(_ store: any EnergyStore) {
        self.store = store
    }

    func load() async throws -> [EnergyRecord] {
        try await EnergyStoreError.advising { try await store.load() }
    }

    func save(_ records: [EnergyRecord]) async throws {
        try await EnergyStoreError.advising { try await store.save(records) }
    }
}

extension EnergyStoreError {
    /// Calls a store and adds the remedy to its errors.
    static func advising<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as EnergyStoreError {
            throw error.advised
        }
    }

    /// This error with the remedy appended to its message, once.
    var advised: EnergyStoreError {
        guard let hint else { return self }
        return EnergyStoreError(code: code, message: "\(message) \(hint.advice)")
    }
}

extension EnergyStoreError.Hint {
    /// The remedy, with the names of settings and commands.
    var advice: String {
        switch self {
        case .makeRoom: "Make room on that file system or raise the quota."
        case .grantAccess:
            // Container engines create mount directories owned by root, to which the image's user cannot write.
            """
            Give user \(geteuid()), which this program runs as, access to it: \
            run chown -R \(geteuid()) on that directory on the host.
            """
        case .mountWritable: "Mount that file system for writing or set storage.data_dir to another directory."
        case .checkPath: "Check storage.data_dir."
        case .raiseFileLimit: "Raise the limit of open files."
        case .moveLargeFile:
            "This program does not write such files; move it away or raise the limit of file sizes."
        case .checkDisk: "Check the disk and the system log."
        case .moveDamagedFiles: "Check the disk, and move the damaged files away."
        case .restoreBackup: "Restore a backup, or move the files away to start at zero."
        case .runNewerProgram: "Run the program that wrote it, or a newer one."
        case .removeDevices: "Remove devices that are gone: \(Version.program) energy remove ID."
        case .stopOtherProcess: "Stop it first, or set storage.data_dir to another directory."
        case .reportFault: "This is a bug; please report it."
        }
    }
}
