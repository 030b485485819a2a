// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPHistory

@Suite(.withPostgres) struct HistoryStoreContractTests {
    @Test(arguments: HistoryStoreContract.checks, HistoryStoreKind.allCases)
    func everyStoreFulfilsTheContract(_ check: ContractCheck<any HistoryStore>, _ kind: HistoryStoreKind) async throws {
        try await kind.withStore { try await check.run(on: $0) }
    }

    @Test(.enabled(if: PostgresServer.shouldRunTests, "PostgreSQL is not installed"))
    func `PostgreSQL fulfils the contract`() {
        #expect(HistoryStoreKind.allCases.contains(.postgres))
    }

    @Test(arguments: HistoryStoreKind.allCases)
    func `removes the old buckets in steps, or in PostgreSQL complete days`(_ kind: HistoryStoreKind) async throws {
        try await kind.withStore { store in
            let buckets = (0..<10).map { (ups, bucket(Int64($0) * 300, load: 1, energy: 0)) }
            try await store.write(HistoryBatch(buckets: buckets + [(node, bucket(0, load: 1, energy: 0))]))
            var counts: [Int] = []
            for _ in 0..<3 { counts.append(try await store.prune(before: 1500, limit: 4)) }
            // PostgreSQL hides the rest of a day.
            #expect(counts == (kind == .postgres ? [0, 0, 0] : [4, 2, 0]))
        }
    }

    @Test(arguments: HistoryStoreKind.allCases.filter { $0 != .memory })
    func `removes points in the future and keeps their energy`(_ kind: HistoryStoreKind)
        async throws
    {
        try await kind.withStore { store in
            let starts: [Int64] = [0, 300, 600, 90_000, 180_000]
            try await store.write(
                HistoryBatch(
                    buckets: starts.map { (ups, bucket($0, load: 40, energy: 1.5)) } + [
                        (node, bucket(300, load: 1, energy: 0))
                    ],
                    subjects: [HistorySubjectState(subject: ups, lastSample: 180_001)]
                )
            )
            let removed =
                kind == .sqlite
                ? try await (store as? SQLiteHistoryStore)?.removeFuture(after: 300)
                : try await (store as? PostgresHistoryStore)?.removeFuture(after: 300)
            #expect(removed == 3)
            let left = try await store.buckets(of: ups, from: 0, to: .max, step: 1)
            #expect(left.map(\.start) == [0, 300])
            #expect(left.map { $0[.energy]?.average } == [1.5, 6])
            #expect(left.map(\.samples) == [1, 1])
            #expect(try await store.subjects().first { $0.subject == ups }?.lastSample == 300)
        }
    }
}
