// SPDX-License-Identifier: MIT

import Synchronization
import Testing
@testable import WPHistory
import WPLogging
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct SQLiteHistoryStoreTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("history.db")
    }

    private func open(maxPages: Int? = nil, logger: Logger = .silent) async throws -> SQLiteHistoryStore {
        var configuration = SQLiteHistoryStore.Configuration(path: path, syncWrites: false)
        configuration.maxPages = maxPages
        return try await SQLiteHistoryStore.open(configuration, logger: logger)
    }

    @Test func `saved data survives a restart`() async throws {
        let first = try await open()
        try await first.write(HistoryBatch(buckets: [(ups, bucket(0, load: 5, energy: 1))]))
        await first.close()
        #expect(directory.names == ["history.db", "history.db.lock"])
        let second = try await open()
        #expect(try await second.buckets(of: ups, from: 0, to: 300, step: 1) == [bucket(0, load: 5, energy: 1)])
        await second.close()
    }

    @Test func `only one process holds the store`() async throws {
        let first = try await open()
        let error = await #expect(throws: HistoryStoreError.self) { try await open() }
        #expect(error?.code == .locked)
        await first.close()
        let second = try await open()
        await second.close()
    }

    @Test func `releases its lock although a starting process inherited the descriptor`() throws {
        let lock = try HistoryLock(path + ".lock")
        let inherited = dup(lock.descriptor)
        defer { _ = close(inherited) }
        #expect(inherited >= 0)
        lock.release()
        try HistoryLock(path + ".lock").release()
    }

    @Test(arguments: [
        "", "not a database at all, but long enough to have a header of a hundred bytes and some more text",
    ])
    func `renames and replaces a file that is not a database`(_ content: String) async throws {
        try directory.write(String(repeating: content, count: 50), to: "history.db")
        let log = CapturingLogHandler()
        let store = try await open(logger: log.logger)
        try await store.write(HistoryBatch(buckets: [(ups, bucket(0, load: 5, energy: 1))]))
        #expect(try await store.statistics().buckets == 1)
        await store.close()
        let aside = directory.names.filter { $0.hasPrefix("history.db.damaged-") }
        // An empty file is the result of a crash at creation, and loses nothing.
        #expect(aside.count == (content.isEmpty ? 0 : 1))
        #expect(log.messages(.error).count == aside.count)
        if let name = aside.first { #expect(try directory.text(of: name).hasPrefix("not a database")) }
    }

    @Test func `replaces a file whose damage is found later`() async throws {
        let store = try await open()
        for hour in 0..<200 {
            let buckets = (0..<12).map { (ups, bucket(Int64(hour * 3600 + $0 * 300), load: 5, energy: 1)) }
            try await store.write(HistoryBatch(buckets: buckets))
        }
        await store.close()
        var bytes = try directory.bytes(of: "history.db")
        #expect(bytes.count > 20 * 4096)
        for index in (4096 * 4)..<bytes.count { bytes[index] = 0x5A }
        try Data(bytes).write(to: URL(filePath: path))
        let damaged = try await open()
        let found = try? await damaged.buckets(of: ups, from: 0, to: 10_000_000, step: 1)
        #expect(found?.isEmpty != false)
        try await damaged.write(HistoryBatch(buckets: [(ups, bucket(0, load: 5, energy: 1))]))
        #expect(try await damaged.statistics().buckets == 1)
        await damaged.close()
        #expect(directory.names.contains { $0.hasPrefix("history.db.damaged-") })
    }

    @Test func `binds a statement again after it failed`() throws {
        let connection = try SQLiteConnection(path, isReader: false)
        let statement = try connection.statement("SELECT abs(?1)")
        statement.bind(1, Int64.min)
        #expect(throws: HistoryStoreError.self) { try statement.next() }
        statement.bind(1, Int64(-5))
        #expect(try statement.next())
        #expect(statement.int64(0) == 5)
        statement.reset()
    }

    @Test func `does not change a database of another program`() async throws {
        let connection = try SQLiteConnection(path, isReader: false)
        try connection.execute("CREATE TABLE theirs (x)")
        let error = await #expect(throws: HistoryStoreError.self) { try await open() }
        #expect(error?.code == .foreign)
        #expect(try connection.number("SELECT count(*) FROM theirs") == 0)
    }

    @Test func `rejects a newer format`() async throws {
        await (try await open()).close()
        let connection = try SQLiteConnection(path, isReader: false)
        try connection.execute("PRAGMA user_version = 99")
        let error = await #expect(throws: HistoryStoreError.self) { try await open() }
        #expect(error?.code == .foreign)
        #expect(error?.message.contains("99") == true)
    }

    @Test func `a full disk loses no saved data`() async throws {
        let store = try await open(maxPages: 40)
        var saved = 0
        let error = await #expect(throws: HistoryStoreError.self) {
            for number in 0..<10_000 {
                try await store.write(HistoryBatch(buckets: [(ups, bucket(Int64(number) * 300, load: 5, energy: 1))]))
                saved = number + 1
            }
        }
        #expect(error?.code == .full)
        #expect(saved > 100)
        #expect(try await store.buckets(of: ups, from: 0, to: .max, step: 1).count == saved)
        // Removing old buckets frees space.
        #expect(try await store.prune(before: .max, limit: 1000) > 0)
        try await store.write(HistoryBatch(buckets: [(ups, bucket(0, load: 5, energy: 1))]))
        await store.close()
    }

    // MARK: Files that disappear

    private func point(_ number: Int) -> HistoryBatch {
        HistoryBatch(
            buckets: [(ups, bucket(Int64(number) * 300, load: 5, energy: 1))],
            subjects: [HistorySubjectState(subject: ups, lastSample: Double(number) * 300)]
        )
    }

    private func starts(_ store: SQLiteHistoryStore) async throws -> [Int64] {
        try await store.buckets(of: ups, from: 0, to: .max, step: 1).map(\.start)
    }

    /// The files are removed as by `rm history.db*`, or only the database is.
    @Test(arguments: [["history.db"], ["history.db", "history.db-wal", "history.db-shm"]])
    func `rewrites a removed file`(_ names: [String]) async throws {
        let log = CapturingLogHandler()
        let store = try await open(logger: log.logger)
        try await store.write(point(0))
        // An open reader keeps SQLite from removing its files.
        #expect(try await starts(store) == [0])
        for name in names { try FileManager.default.removeItem(atPath: directory.file(name)) }
        try await store.write(point(1))
        #expect(try await starts(store) == [0, 300])
        #expect(store.replacements == 1)
        #expect(log.messages(.error).count == 1)
        await store.close()
        #expect(directory.names == ["history.db", "history.db.lock"])
        let reopened = try await open()
        #expect(try await starts(reopened) == [0, 300])
        #expect(try await reopened.subjects().count == 1)
        await reopened.close()
    }

    @Test func `rewrites at shutdown a file removed after the last write`() async throws {
        let store = try await open()
        try await store.write(point(0))
        try FileManager.default.removeItem(atPath: path)
        await store.close()
        let reopened = try await open()
        #expect(try await starts(reopened) == [0])
        await reopened.close()
    }

    @Test func `keeps its data beside a file that replaced it`() async throws {
        let log = CapturingLogHandler()
        let store = try await open(logger: log.logger)
        try await store.write(point(0))
        let backup = directory.file("backup.db")
        try await SQLiteReader(path).backUp(to: backup)
        try await store.write(point(1))
        #expect(rename(backup, path) == 0)
        try await store.write(point(2))
        // The restored backup continues; the point in between is in the renamed file.
        #expect(try await starts(store) == [0, 600])
        await store.close()
        let kept = try #require(directory.names.first { $0.hasPrefix("history.db.recovered-") })
        #expect(try await SQLiteReader(directory.file(kept)).statistics().buckets == 2)
        #expect(log.records.first { $0.level == .error }?.fields["kept_as"] == .string(directory.file(kept)))
    }

    @Test func `loses nothing while a removed file cannot be rewritten`() async throws {
        let store = try await open()
        try await store.write(point(0))
        let inner = directory.file("moved")
        // Without its directory nothing can be written.
        let outside = try TemporaryDirectory()
        let target = outside.file("history.db")
        let other = try await SQLiteHistoryStore.open(.init(path: target, syncWrites: false), logger: .silent)
        try await other.write(point(0))
        try FileManager.default.moveItem(atPath: outside.path, toPath: inner)
        let error = await #expect(throws: HistoryStoreError.self) { try await other.write(point(1)) }
        #expect(error?.code == .failed || error?.code == .replaced)
        try FileManager.default.createDirectory(atPath: outside.path, withIntermediateDirectories: true)
        try await other.write(point(1))
        #expect(try await starts(other) == [0, 300])
        await other.close()
        await store.close()
    }

    @Test func `locks again after the lock file was removed`() async throws {
        let store = try await open()
        try FileManager.default.removeItem(atPath: path + ".lock")
        try await store.write(point(0))
        #expect(store.replacements == 1)
        let error = await #expect(throws: HistoryStoreError.self) { try await open() }
        #expect(error?.code == .locked)
        await store.close()
    }

    @Test func `stops writing after another process took the lock`() async throws {
        let store = try await open()
        try await store.write(point(0))
        try FileManager.default.removeItem(atPath: path + ".lock")
        let other = try HistoryLock(path + ".lock")
        let error = await #expect(throws: HistoryStoreError.self) { try await store.write(point(1)) }
        #expect(error?.code == .locked)
        #expect(try await starts(store) == [0])
        other.release()
        try await store.write(point(1))
        #expect(try await starts(store) == [0, 300])
        await store.close()
    }

    // MARK: Space, owner and permissions

    @Test func `reserves the last space for energy totals`() async throws {
        let available = Mutex(100 << 20)
        let store = try await SQLiteHistoryStore.open(
            .init(path: path, syncWrites: false),
            space: { _ in FileSystemSpace(available: available.withLock { $0 }, total: 1 << 30) },
            logger: .silent
        )
        try await store.write(point(0))
        available.withLock { $0 = SpaceReserve.largest }
        let error = await #expect(throws: HistoryStoreError.self) { try await store.write(point(1)) }
        #expect(error?.code == .full)
        // Writing resumes when twice the reserve is free, not just a little more than the reserve.
        available.withLock { $0 = SpaceReserve.largest + 1 << 20 }
        await #expect(throws: HistoryStoreError.self) { try await store.write(point(1)) }
        available.withLock { $0 = 3 * SpaceReserve.largest }
        try await store.write(point(1))
        #expect(try await starts(store) == [0, 300])
        await store.close()
    }

    @Test func `counts buckets, documents and events as space to reserve`() async throws {
        let available = Mutex(100 << 20)
        let store = try await SQLiteHistoryStore.open(
            .init(path: path, syncWrites: false),
            space: { _ in FileSystemSpace(available: available.withLock { $0 }, total: 1 << 30) },
            logger: .silent
        )
        let document = HistoryBatch(
            buckets: [],
            subjects: [
                HistorySubjectState(subject: ups, lastSample: 0, document: [UInt8](repeating: 0x20, count: 2 << 20))
            ]
        )
        let buckets = HistoryBatch(buckets: (0..<200).map { (ups, bucket($0 * 300, load: 5, energy: 1)) })
        let events = (0..<200).map { HistoryEvent(.init(ups, .onBattery), start: $0 * 300, end: $0 * 300 + 1) }
        let large: [@Sendable () async throws -> Void] = [
            { try await store.write(document) }, { try await store.write(buckets) }, { try await store.write(events) },
        ]
        for write in large {
            available.withLock { $0 = 3 * SpaceReserve.largest }
            try await store.write(point(0))
            available.withLock { $0 = SpaceReserve.largest + 1 << 20 }
            try await store.write(point(1))
            let error = await #expect(throws: HistoryStoreError.self) { try await write() }
            #expect(error?.code == .full)
        }
        await store.close()
    }

    @Test func `keeps a share of a small file system free`() {
        let space = Mutex(FileSystemSpace(available: 100 << 10, total: 200 << 10))
        var reserve = SpaceReserve { _ in space.withLock { $0 } }
        let admitted = [60, 80, 60, 40].map { reserve.admits($0 << 10, to: "/") }
        #expect(admitted == [true, false, false, true])
        // A file system that does not report its space is written to.
        var unknown = SpaceReserve { _ in nil }
        let isAdmitted = unknown.admits(.max, to: "/")
        #expect(isAdmitted)
    }

    private func permissions(_ name: String) -> UInt16? {
        var status = stat()
        return stat(directory.file(name), &status) == 0 ? UInt16(truncatingIfNeeded: status.st_mode & 0o7777) : nil
    }

    @Test func `its files have the configured permissions`() async throws {
        let store = try await SQLiteHistoryStore.open(
            .init(path: path, syncWrites: false, filePermissions: 0o640),
            logger: .silent
        )
        try await store.write(point(0))
        for name in ["history.db", "history.db-wal", "history.db-shm", "history.db.lock"] {
            #expect(permissions(name) == 0o640, "\(name)")
        }
        await store.close()
        // Changed settings apply from the next start.
        let next = try await SQLiteHistoryStore.open(
            .init(path: path, syncWrites: false, filePermissions: 0o600),
            logger: .silent
        )
        #expect(permissions("history.db") == 0o600)
        #expect(permissions("history.db.lock") == 0o600)
        await next.close()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of files"))
    func `files created by root belong to the directory's owner`() async throws {
        // An earlier version, started as root, left its file.
        let first = try await open()
        await first.close()
        #expect(chown(directory.path, 4711, 4712) == 0)
        let store = try await open()
        try await store.write(point(0))
        for name in ["history.db", "history.db-wal", "history.db-shm", "history.db.lock"] {
            var status = stat()
            #expect(stat(directory.file(name), &status) == 0)
            #expect(status.st_uid == 4711, "\(name)")
            #expect(status.st_gid == 4712, "\(name)")
        }
        await store.close()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of files"))
    func `does not change the owner of a link's target`() async throws {
        let outside = try TemporaryDirectory()
        try outside.write("root's", to: "secret")
        #expect(chown(directory.path, 4711, 4712) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: path + ".lock",
            withDestinationPath: outside.file("secret")
        )
        await #expect(throws: HistoryStoreError.self) { try await open() }
        var status = stat()
        #expect(stat(outside.file("secret"), &status) == 0)
        #expect(status.st_uid == 0)
    }

    @Test func `backs up while writing`() async throws {
        let store = try await open()
        try await store.write(HistoryBatch(buckets: [(ups, bucket(0, load: 5, energy: 1))]))
        let reader = SQLiteReader(path)
        try await reader.backUp(to: directory.file("copy.db"))
        try await store.write(HistoryBatch(buckets: [(ups, bucket(300, load: 5, energy: 1))]))
        let copy = SQLiteReader(directory.file("copy.db"))
        #expect(try await copy.statistics().buckets == 1)
        #expect(try await reader.statistics().buckets == 2)
        await #expect(throws: HistoryStoreError.self) { try await reader.backUp(to: directory.file("copy.db")) }
        await store.close()
    }

    @Test func `returns the space of removed data`() async throws {
        let store = try await open()
        let buckets = (0..<20_000).map { (ups, bucket(Int64($0) * 300, load: 5, energy: 1)) }
        try await store.write(HistoryBatch(buckets: buckets))
        while try await store.prune(before: .max, limit: 2000) == 2000 {}
        await store.close()
        #expect(try directory.bytes(of: "history.db").count < 100_000)
    }
}
