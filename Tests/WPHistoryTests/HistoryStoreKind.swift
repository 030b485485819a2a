// SPDX-License-Identifier: MIT

import Testing
import WPHistory
import WPLogging
import WPTestKit

/// The stores of the library; PostgreSQL only if it is installed.
enum HistoryStoreKind: CaseIterable {
    case memory, sqlite, postgres

    static var allCases: [Self] { [.memory, .sqlite] + (PostgresServer.shouldRunTests ? [.postgres] : []) }

    /// Runs a test with a new store.
    func withStore(_ test: (any HistoryStore) async throws -> Void) async throws {
        switch self {
        case .memory: try await test(MemoryHistoryStore())
        case .sqlite:
            let directory = try TemporaryDirectory()
            let path = directory.file("history.db")
            let store = try await SQLiteHistoryStore.open(.init(path: path, syncWrites: false), logger: .silent)
            try await test(store)
            await store.close()
        case .postgres:
            let server = try #require(PostgresServer.current)
            let store = try PostgresHistoryStore.open(try server.database(), logger: .silent)
            try await test(store)
            await store.close()
        }
    }
}

let ups = HistorySubject(kind: .ups, name: "e156e6cb")
let node = HistorySubject(kind: .node, name: "node-1")

func bucket(_ start: Int64, load: Double, energy: Double) -> HistoryBucket {
    HistoryBucket(
        start: start,
        seconds: 300,
        samples: 1,
        aggregates: [.init(.loadPercent, load), .init(.energy, energy)]
    )
}
