// SPDX-License-Identifier: MIT

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

    @Test func `what was saved is there after a restart`() async throws {
        let first = try await open()
        try await first.write(HistoryBatch(buckets: [(ups, bucket(0, load: 5, energy: 1))]))
        await first.close()
        #expect(directory.names == ["history.db", "history.db.lock"])
        let second = try await open()
        #expect(try await second.buckets(of: ups, from: 0, to: 300, step: 1) == [bucket(0, load: 5, energy: 1)])
        await second.close()
    }

    @Test func `one process has it at a time`() async throws {
        let first = try await open()
        let error = await #expect(throws: HistoryStoreError.self) { try await open() }
        #expect(error?.code == .locked)
        await first.close()
        let second = try await open()
        await second.close()
    }

    @Test func `its lock ends while a process that is just being started has the descriptor too`() throws {
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
    func `a file that is no database`(_ content: String) async throws {
        try directory.write(String(repeating: content, count: 50), to: "history.db")
        let log = CapturingLogHandler()
        let store = try await open(logger: log.logger)
        try await store.write(HistoryBatch(buckets: [(ups, bucket(0, load: 5, energy: 1))]))
        #expect(try await store.statistics().buckets == 1)
        await store.close()
        let aside = directory.names.filter { $0.hasPrefix("history.db.damaged-") }
        // An empty file is what a crash in the first moment leaves, and loses nothing.
        #expect(aside.count == (content.isEmpty ? 0 : 1))
        #expect(log.messages(.error).count == aside.count)
        if let name = aside.first { #expect(try directory.text(of: name).hasPrefix("not a database")) }
    }

    @Test func `damage that shows later is repaired by a new file`() async throws {
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

    @Test func `another program's database stays as it is`() async throws {
        let connection = try SQLiteConnection(path, isReader: false)
        try connection.execute("CREATE TABLE theirs (x)")
        let error = await #expect(throws: HistoryStoreError.self) { try await open() }
        #expect(error?.code == .foreign)
        #expect(try connection.number("SELECT count(*) FROM theirs") == 0)
    }

    @Test func `a later format is refused`() async throws {
        await (try await open()).close()
        let connection = try SQLiteConnection(path, isReader: false)
        try connection.execute("PRAGMA user_version = 99")
        let error = await #expect(throws: HistoryStoreError.self) { try await open() }
        #expect(error?.code == .foreign)
        #expect(error?.message.contains("99") == true)
    }

    @Test func `a full disk loses nothing that was saved`() async throws {
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
        // Removing old buckets makes room.
        #expect(try await store.prune(before: .max, limit: 1000) > 0)
        try await store.write(HistoryBatch(buckets: [(ups, bucket(0, load: 5, energy: 1))]))
        await store.close()
    }

    @Test func `a backup is taken while it is written`() async throws {
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

    @Test func `what is removed gives its space back`() async throws {
        let store = try await open()
        let buckets = (0..<20_000).map { (ups, bucket(Int64($0) * 300, load: 5, energy: 1)) }
        try await store.write(HistoryBatch(buckets: buckets))
        while try await store.prune(before: .max, limit: 2000) == 2000 {}
        await store.close()
        #expect(try directory.bytes(of: "history.db").count < 100_000)
    }
}
