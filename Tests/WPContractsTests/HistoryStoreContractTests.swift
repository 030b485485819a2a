// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPHistory

@Suite struct HistoryStoreContractTests {
    /// A fault of a store.
    enum Fault: CaseIterable {
        case includesTheEnd, losesBuckets, losesDocuments, confusesSites, keepsRemovedBuckets, keepsOldSubjects
        case forgetsRetention, ordersEventsByStart, keepsEventsOpen, countsTheFleet
    }

    /// An in-memory store with a fault.
    private struct BrokenStore: HistoryStore {
        let fault: Fault
        let memory = MemoryHistoryStore()

        private func own(_ subject: HistorySubject) -> HistorySubject {
            fault == .confusesSites ? HistorySubject(kind: subject.kind, name: subject.name) : subject
        }

        func read(of subject: HistorySubject, from: Int64, to: Int64, into reduction: HistoryReduction) async throws {
            let to = fault == .includesTheEnd && to < .max ? to + 1 : to
            try await memory.read(of: own(subject), from: from, to: to, into: reduction)
        }

        func write(_ batch: HistoryBatch) async throws {
            var batch = batch
            batch.buckets = batch.buckets.map { (own($0.subject), $0.bucket) }
            if fault == .losesBuckets { batch.buckets = batch.buckets.dropLast() }
            if fault == .losesDocuments { for index in batch.subjects.indices { batch.subjects[index].document = [] } }
            try await memory.write(batch)
        }

        func subjects() async throws -> [HistorySubjectState] { try await memory.subjects() }

        func prune(before: Int64, limit: Int) async throws -> Int {
            fault == .keepsOldSubjects ? 0 : try await memory.prune(before: before, limit: limit)
        }

        func retentionTime() async throws -> Double? {
            fault == .forgetsRetention ? nil : try await memory.retentionTime()
        }

        func agree(onRetentionTime time: Double) async throws -> Double {
            try await memory.agree(onRetentionTime: time)
        }

        func remove(_ subject: HistorySubject) async throws -> Bool {
            fault == .keepsRemovedBuckets ? true : try await memory.remove(subject)
        }

        func statistics() async throws -> HistoryStatistics {
            var statistics = try await memory.statistics()
            if fault == .countsTheFleet { statistics.subjects = try await memory.subjects().count }
            return statistics
        }

        func write(_ events: [HistoryEvent]) async throws {
            let open = events.map { HistoryEvent($0.key, start: $0.start) }
            try await memory.write(fault == .keepsEventsOpen ? open : events)
        }

        func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent] {
            let events = try await memory.events(query)
            return fault == .ordersEventsByStart ? events.sorted { $0.start < $1.start } : events
        }

        func close() async {}
    }

    @Test(arguments: HistoryStoreContract.checks)
    func acceptsACorrectStore(_ check: ContractCheck<any HistoryStore>) async throws {
        try await check.run(on: MemoryHistoryStore())
    }

    @Test(arguments: Fault.allCases) func detectsAFault(_ fault: Fault) async throws {
        var violations = 0
        for check in HistoryStoreContract.checks {
            do {
                try await check.run(on: BrokenStore(fault: fault))
            } catch is ContractViolation {
                violations += 1
            }
        }
        #expect(violations > 0)
    }
}
