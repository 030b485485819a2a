// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPHistory

@Suite struct HistoryStoreContractTests {
    @Test(arguments: HistoryStoreContract.checks)
    func acceptsACorrectStore(_ check: ContractCheck<any HistoryStore>) async throws {
        try await check.run(on: MemoryHistoryStore())
        try await check.run(on: BrokenHistoryStore())
    }

    @Test(arguments: HistoryStoreFaults.all) func detectsAFault(_ fault: Fault<BrokenHistoryStore>) async throws {
        let check = try #require(HistoryStoreContract.checks.first { $0.description == fault.check })
        var store = BrokenHistoryStore()
        fault.apply(&store)
        await #expect(throws: ContractViolation.self) { try await check.run(on: store) }
    }

    @Test func everyCheckDetectsAFault() {
        #expect(Set(HistoryStoreFaults.all.map(\.check)) == Set(HistoryStoreContract.checks.map(\.description)))
    }

    /// A store may rely on what it documents: a bucket is on its grid, and its last sample is not before it.
    @Test(arguments: HistoryStoreContract.checks)
    func savesOnlyValidBuckets(_ check: ContractCheck<any HistoryStore>) async throws {
        var store = BrokenHistoryStore()
        store.write = { memory, batch in
            for (subject, bucket) in batch.buckets {
                #expect(bucket.seconds > 0 && bucket.start % bucket.seconds == 0 && bucket.samples > 0)
                for state in batch.subjects where state.subject == subject {
                    #expect(state.lastSample >= Double(bucket.start))
                }
            }
            try await memory.write(batch)
        }
        try await check.run(on: store)
    }
}
