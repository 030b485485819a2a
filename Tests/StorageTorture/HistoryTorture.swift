// SPDX-License-Identifier: MIT

import WPHistory
import WPLogging

/// Saves batches to a history continuously: batch n contains bucket n of each subject.
enum HistoryTorture {
    static let subjects = 20

    static func run(_ path: String) async throws {
        let store = try await SQLiteHistoryStore.open(.init(path: path), logger: .silent)
        let last = try await store.subjects().first.map { Int($0.lastSample) } ?? 0
        for number in (last + 1)... {
            let subjects = (0..<subjects).map { HistorySubject(kind: .node, name: "node-\($0)") }
            try await store.write(
                HistoryBatch(
                    buckets: subjects.map { subject in
                        let load = HistoryBucket.Aggregate(.load1, Double(number))
                        return (
                            subject,
                            HistoryBucket(start: Int64(number) * 300, seconds: 300, samples: 1, aggregates: [load])
                        )
                    },
                    subjects: subjects.map { HistorySubjectState(subject: $0, lastSample: Double(number)) }
                )
            )
            Torture.acknowledge(number)
        }
    }
}
