// SPDX-License-Identifier: MIT

import WPCore
public import WPLogging
public import WPModel

/// Stores energy records in two files of a directory, with exclusive access.
///
/// Each save overwrites the older file with the whole state and syncs it: one sync, without changes of names or sizes.
/// The newer file is not touched, so a crash leaves either the old or the new state. A new or growing file is written
/// under another name and renamed, which takes two syncs.
///
/// System calls run on a private queue, so that a hanging disk delays only ``save(_:)``.
public actor FileEnergyStore: EnergyStore {
    /// The location and durability of the records.
    public struct Configuration: Sendable, Hashable {
        /// The data directory; created with its parents if missing.
        public var directory: String
        /// Whether a save syncs to disk. If not, a system crash, but not a process crash, may lose the last seconds or
        /// leave a damaged file.
        public var syncWrites: Bool
        /// The permissions of every file, regardless of the umask.
        public var filePermissions: UInt16
        /// The permissions of created directories, regardless of the umask.
        public var directoryPermissions: UInt16

        /// Creates a configuration.
        public init(
            directory: String,
            syncWrites: Bool = true,
            filePermissions: UInt16 = 0o644,
            directoryPermissions: UInt16 = 0o750
        ) {
            self.directory = directory
            self.syncWrites = syncWrites
            self.filePermissions = filePermissions
            self.directoryPermissions = directoryPermissions
        }
    }

    private let executor = QueueExecutor("winpower-exporter.storage")
    private let configuration: Configuration
    private let paths: EnergyPaths
    private let fileSystem: DataDirectoryFileSystem
    private let logger: Logger

    private var lock: DirectoryLock?
    private var writer: StateWriter
    /// The state found at the start, until a newer one is saved.
    private var found: [EnergyRecord]?

    /// The queue of this actor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a data directory: locks it and finds the last valid state.
    ///
    /// A damaged file is logged and renamed, and the state in the other file is used. If no state was ever saved, the
    /// text files of the Go exporter (`{device_id}.txt`) are imported and left unchanged. If a saved state is missing,
    /// that is logged as an error, and nothing is imported.
    /// - Throws: ``WPModel/EnergyStoreError``: `locked` with the PID of the process that has locked the directory,
    ///   `damaged` if no file is valid, `newerFormat`, or why the directory cannot be used.
    public static func open(_ configuration: Configuration, logger: Logger) async throws -> FileEnergyStore {
        try await open(configuration, fileSystem: POSIXFileSystem(), logger: logger)
    }

    package static func open(
        _ configuration: Configuration,
        fileSystem: any FileSystem,
        logger: Logger
    ) async throws -> FileEnergyStore {
        let store = FileEnergyStore(configuration, fileSystem: fileSystem, logger: logger)
        try await store.start()
        return store
    }

    /// Reads the records of a data directory that another process may be using. Takes no lock and changes nothing.
    /// - Returns: the last valid state, or what would be imported; empty if there is none.
    /// - Throws: ``WPModel/EnergyStoreError`` as ``open(_:logger:)`` does, but never `locked`.
    public static func peek(_ configuration: Configuration, logger: Logger) async throws -> [EnergyRecord] {
        try await peek(configuration, fileSystem: POSIXFileSystem(), logger: logger)
    }

    package static func peek(
        _ configuration: Configuration,
        fileSystem: any FileSystem,
        logger: Logger
    ) async throws -> [EnergyRecord] {
        try await FileEnergyStore(configuration, fileSystem: fileSystem, logger: logger).read(attempts: 20)
    }

    private init(_ configuration: Configuration, fileSystem: any FileSystem, logger: Logger) {
        self.configuration = configuration
        self.fileSystem = DataDirectoryFileSystem(fileSystem, logger: logger)
        self.logger = logger
        paths = EnergyPaths(directory: configuration.directory.isEmpty ? "." : configuration.directory)
        writer = StateWriter(fileSystem: self.fileSystem, paths: paths, configuration: configuration, logger: logger)
    }

    deinit {
        writer.close()
        lock?.release()
    }

    /// Unlocks the directory. Later saves fail.
    public func close() {
        writer.close()
        lock?.release()
        lock = nil
    }

    /// Returns the last saved records, in order.
    /// - Throws: ``WPModel/EnergyStoreError`` if they cannot be read from disk.
    public func load() async throws -> [EnergyRecord] {
        if let found { return found }
        return try read()
    }

    /// Replaces the saved state.
    /// - Throws: ``WPModel/EnergyStoreError``: `full` if there is no space, `locked` if the lock file was removed and
    ///   another process has locked the directory since, `inaccessible` or `io` for other failures. The earlier state
    ///   is then unchanged.
    public func save(_ records: [EnergyRecord]) async throws {
        guard lock != nil else {
            throw EnergyStoreError(
                code: .io,
                message: "The energy totals were not saved to \(paths.directory): the store is closed."
            )
        }
        try RecordCheck.check(records)
        // lint: the save that follows reports it
        if try lock?.confirm() == false, let finding = try? reader().read() { writer.supersede(finding) }
        try writer.save(records)
        lock?.recordTotals()
        found = nil
    }

    /// Replaces the saved state on behalf of a person, after recording each change in the audit log `energy.audit.log`.
    ///
    /// The entries are written to disk before the change. If saving then fails, a second entry for each change records
    /// the failure.
    /// - Parameters:
    ///   - records: the whole state, one record per key.
    ///   - entries: the changes.
    /// - Throws: ``WPModel/EnergyStoreError`` as ``save(_:)`` does, or if the audit log cannot be written. The earlier
    ///   state is then unchanged.
    package func amend(_ records: [EnergyRecord], recording entries: [EnergyAuditEntry]) async throws {
        try RecordCheck.check(records)
        guard lock != nil else { return try await save(records) }
        let audit = AuditLog(fileSystem: fileSystem, paths: paths, configuration: configuration)
        try audit.append(entries.flatMap { try $0.line() })
        do {
            try await save(records)
        } catch {
            // lint: the error of the save is thrown
            try? audit.append(entries.flatMap { try $0.line(failure: "\(error)") })
            throw error
        }
    }
}

extension FileEnergyStore {
    /// The totals in the text files of the Go exporter, even if a state was saved.
    package func legacyTotals() throws -> [EnergyRecord] {
        try LegacyTotals(fileSystem: fileSystem, paths: paths, logger: logger).read()
    }

    private func start() throws(EnergyStoreError) {
        do {
            try fileSystem.createDirectories(paths.directory, permissions: configuration.directoryPermissions)
        } catch {
            throw EnergyStoreError(error, while: "The data directory \(paths.directory) could not be created")
        }
        let hadTotals: Bool
        do {
            try fileSystem.keepOwner(of: paths.directory)
            hadTotals = try DirectoryLock.hadTotals(paths, fileSystem)
        } catch {
            throw EnergyStoreError(error, while: "The data directory \(paths.directory) could not be examined")
        }
        lock = try DirectoryLock(
            paths: paths,
            permissions: configuration.filePermissions,
            isNew: !hadTotals,
            synchronizing: configuration.syncWrites,
            fileSystem: fileSystem,
            logger: logger
        )
        do {
            let finding = try reader(lockHadTotals: hadTotals).read()
            switch finding.origin {
            case .saved, .lost: lock?.recordTotals()
            case .adopted, .nowhere: break
            }
            try writer.resume(finding)
            found = finding.state.records
        } catch {
            close()
            throw error
        }
    }

    private func reader(lockHadTotals: Bool? = nil) -> StateReader {
        StateReader(fileSystem: fileSystem, paths: paths, lockHadTotals: lockHadTotals, logger: logger)
    }

    /// - Parameter attempts: the number of attempts if a file is incomplete, because another process is writing it.
    private func read(attempts: Int = 1) throws(EnergyStoreError) -> [EnergyRecord] {
        for _ in 1..<attempts {
            do throws(EnergyStoreError) {
                let finding = try reader().read()
                if finding.damage == nil { return finding.state.records }
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        let finding = try reader().read()
        if let damage = finding.damage {
            logger.warn(
                "An energy file is damaged; the state in the other one is used",
                ["path": .string(paths.state(damage.slot)), "damage": .string(damage.flaw)]
            )
        }
        return finding.state.records
    }
}
