// SPDX-License-Identifier: MIT

public import WPLogging
public import WPModel

/// Keeps energy records in two files of a directory, which it has to itself.
///
/// Each save writes the whole state over the older of the two files and syncs it: one sync, whatever the number of
/// records, and no change of names or sizes that a file system would have to note. The newer file is not touched, so that
/// a crash at any instant leaves either the old state or the new one. A file that does not exist yet or has to grow is
/// written under another name and renamed into place, which takes two syncs.
///
/// System calls run on a queue of the store's own. A disk that hangs keeps ``save(_:)`` waiting and nothing else.
public actor FileEnergyStore: EnergyStore {
    /// Where and how to keep the records.
    public struct Configuration: Sendable, Hashable {
        /// The data directory; created, with those above it, when it is missing.
        public var directory: String
        /// Whether a save waits until the disk has it. Without, a crash of the computer, though not of the process,
        /// may lose the last seconds or leave a damaged file.
        public var syncWrites: Bool
        /// The permissions of every file written, whatever the umask.
        public var filePermissions: UInt16
        /// The permissions of a directory that is created, whatever the umask.
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
    /// What was found at the start, until something newer is on the disk.
    private var found: [EnergyRecord]?

    /// The queue that this actor runs on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a data directory: takes its lock and finds the last good state.
    ///
    /// A damaged state is logged and kept aside under a name of its own, and the one in the other file is used. When no state
    /// was ever saved, the text files of the Go exporter (`{device_id}.txt`) are adopted; they stay untouched. When
    /// something shows that a state was saved and it is gone, that is logged as an error, and nothing is adopted.
    /// - Throws: ``WPModel/EnergyStoreError``: `locked` with the pid of the process that has the directory, `damaged`
    ///   when there was a state and none of it is good any more, `newerFormat`, or why the directory can't be used.
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

    /// Reads the records of a data directory that another process may be writing to. It takes no lock and changes
    /// nothing.
    /// - Returns: the last good state, or what would be adopted; empty when there is none.
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

    /// Gives the directory back. Saving fails from then on.
    public func close() {
        writer.close()
        lock?.release()
        lock = nil
    }

    /// Gives the records that were saved last, in their order.
    /// - Throws: ``WPModel/EnergyStoreError`` when they can't be read from the disk.
    public func load() async throws -> [EnergyRecord] {
        if let found { return found }
        return try read()
    }

    /// Replaces the saved state.
    /// - Throws: ``WPModel/EnergyStoreError``: `full` when there is no room, `locked` when the lock file was removed and
    ///   another process has taken the directory since, `inaccessible` or `io` for whatever else kept it from being saved;
    ///   the earlier state is then still there.
    public func save(_ records: [EnergyRecord]) async throws {
        guard lock != nil else {
            throw EnergyStoreError(
                code: .io,
                message: "The energy totals were not saved to \(paths.directory): the store was closed before."
            )
        }
        try RecordCheck.check(records)
        if try lock?.confirm() == false, let finding = try? reader().read() { writer.overtake(finding) }
        try writer.save(records)
        lock?.noteTotals()
        found = nil
    }

    /// Replaces the saved state as a person wants it, having noted each change in the audit log `energy.audit.log`.
    ///
    /// The lines are on the disk before anything is changed, so that no change goes unnoted. When saving then fails,
    /// a second line for each says that the change did not come about.
    /// - Parameters:
    ///   - records: the whole state, one record per key.
    ///   - entries: what is different in it.
    /// - Throws: ``WPModel/EnergyStoreError`` as ``save(_:)`` does, and when the audit log can't be written; the earlier
    ///   state is then still there.
    package func amend(_ records: [EnergyRecord], noting entries: [EnergyAuditEntry]) async throws {
        try RecordCheck.check(records)
        guard lock != nil else { return try await save(records) }
        let audit = AuditLog(fileSystem: fileSystem, paths: paths, configuration: configuration)
        try audit.append(entries.flatMap { try $0.line() })
        do {
            try await save(records)
        } catch {
            try? audit.append(entries.flatMap { try $0.line(failure: "\(error)") })
            throw error
        }
    }
}

extension FileEnergyStore {
    /// The totals in the text files of the Go exporter, whether a state was ever saved or not.
    package func legacyTotals() throws -> [EnergyRecord] {
        try LegacyTotals(fileSystem: fileSystem, paths: paths, logger: logger).read()
    }

    private func start() throws(EnergyStoreError) {
        do {
            try fileSystem.createDirectories(paths.directory, permissions: configuration.directoryPermissions)
        } catch {
            throw EnergyStoreError(error, while: "The data directory \(paths.directory) could not be created")
        }
        let recallsTotals: Bool
        do {
            try fileSystem.keepOwner(of: paths.directory)
            recallsTotals = try DirectoryLock.recallsTotals(paths, fileSystem)
        } catch {
            throw EnergyStoreError(error, while: "The data directory \(paths.directory) could not be looked at")
        }
        lock = try DirectoryLock(
            paths: paths,
            permissions: configuration.filePermissions,
            isNew: !recallsTotals,
            synchronizing: configuration.syncWrites,
            fileSystem: fileSystem,
            logger: logger
        )
        do {
            let finding = try reader(lockRecallsTotals: recallsTotals).read()
            switch finding.origin {
            case .saved, .lost: lock?.noteTotals()
            case .adopted, .nowhere: break
            }
            try writer.resume(finding)
            found = finding.state.records
        } catch {
            close()
            throw error
        }
    }

    private func reader(lockRecallsTotals: Bool? = nil) -> StateReader {
        StateReader(fileSystem: fileSystem, paths: paths, lockRecallsTotals: lockRecallsTotals, logger: logger)
    }

    /// - Parameter attempts: how often to look when a file is not whole, as it is while another process writes it.
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
