// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine
import WPHistory
import WPLogging
import WPProgram
import WPTestKit

@testable import wpexporter

/// `wpexporter history` with a file of two UPSes.
@Suite struct HistoryCommandTests {
    private let directory: TemporaryDirectory
    private let subjects = [
        HistorySubject(kind: .ups, name: "a"), HistorySubject(kind: .ups, site: "hq", name: "b"),
    ]

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Writes a bucket of each subject at these times, and an event.
    private func write(_ starts: [Int64]) async throws {
        let store = try await SQLiteHistoryStore.open(.init(path: path), logger: .silent)
        let buckets = starts.map { start in
            var bucket = HistoryBucket(start: start, seconds: 300, samples: 60)
            bucket.aggregates = [.init(.loadWatts, 100)]
            return bucket
        }
        try await store.write(
            HistoryBatch(
                buckets: subjects.flatMap { subject in buckets.map { (subject, $0) } },
                subjects: [
                    HistorySubjectState(subject: subjects[0], lastSample: 1_750_000_000.5),
                    HistorySubjectState(subject: subjects[1], lastSample: 0),
                ]
            )
        )
        try await store.write([
            HistoryEvent(.init(subjects[0], .onBattery), start: 1_750_000_000, end: 1_750_000_100)
        ])
        await store.close()
    }

    private var path: String { directory.file(SQLiteHistoryStore.fileName) }

    private func history(_ words: String...) async throws -> [String] {
        let options = try OptionParser(HistoryCommand.spec).parse(words + ["--data-dir=\(directory.path)"])
        var text = ""
        try await HistoryCommand.run(options) { text += $0 }
        return text.split(separator: "\n").map(String.init)
    }

    /// The number of points that are left.
    private var points: Int {
        get async throws { try await history("export").count }
    }

    @Test func showsWhatThereIs() async throws {
        try await write([1_750_000_200, 1_750_000_500])
        let stats = try await history("stats")
        #expect(stats.count == 1)
        #expect(
            stats[0].hasPrefix(
                #"{"subjects":2,"points":4,"first":"2025-06-15T15:10:00Z","last":"2025-06-15T15:15:00Z","bytes":"#
            ),
            "\(stats)"
        )
        #expect(
            try await history("subjects") == [
                #"{"kind":"ups","site":"","name":"a","last_sample":"2025-06-15T15:06:40.500Z"}"#,
                #"{"kind":"ups","site":"hq","name":"b","last_sample":null}"#,
            ]
        )
        let export = try await history("export")
        #expect(export.count == 4 && export.allSatisfy { $0.contains(#""name":"#) })
        let events = try await history("events")
        #expect(events.count == 1 && events[0].contains("2025-06-15T15:06:40"), "\(events)")
    }

    @Test func removesASubject() async throws {
        try await write([1_750_000_200, 1_750_000_500])
        await #expect(throws: (any Error).self) { try await history("remove", "ups", "b") }
        await #expect(throws: (any Error).self) { try await history("remove", "ups", "a", "hq") }
        #expect(try await points == 4)
        #expect(try await history("remove", "ups", "b", "hq") == [])
        #expect(try await history("subjects").count == 1)
        #expect(try await history("remove", "ups", "a") == [])
        #expect(try await points == 0)
    }

    @Test func removesPointsAfterAGivenTime() async throws {
        try await write([1_750_000_200, 1_750_000_500, 1_750_000_800])
        #expect(
            try await history("remove-future", "2025-06-15T15:15:00Z")
                == [#"{"removed":2,"after":"2025-06-15T15:15:00Z"}"#]
        )
        #expect(try await points == 4)
    }

    /// 32503680000 is the year 3000, later than any clock.
    @Test func removesFuturePointsOnlyIfTheyAreTheMinority() async throws {
        try await write([1_750_000_200, 32_503_680_000, 32_503_680_300])
        let failure = await #expect(throws: (any Error).self) { try await history("remove-future") }
        #expect("\(failure.map { "\($0)" } ?? "")".hasPrefix("4 of 6 points are later than this machine's clock"))
        #expect(try await points == 6)
    }

    @Test func removesFuturePointsThatAreHalfOfAll() async throws {
        try await write([1_750_000_200, 32_503_680_000])
        #expect(try await history("remove-future").first?.hasPrefix(#"{"removed":2,"after":"20"#) == true)
        #expect(try await points == 2)
    }

    @Test func writesABackupOnce() async throws {
        try await write([1_750_000_200])
        let copy = directory.file("copy")
        #expect(try await history("backup", copy + ".db") == [])
        await #expect(throws: (any Error).self) { try await history("backup", copy + ".db") }
        #expect(try await history("vacuum") == [])
        #expect(try await points == 2)
    }

    @Test(arguments: [
        ["nothing"], ["stats", "x"], ["subjects", "x"], ["export", "x"], ["events", "x"], ["vacuum", "x"], ["backup"],
        ["backup", "a", "b"], ["remove"], ["remove", "ups"], ["remove", "x", "a"], ["remove", "node", "a", "hq"],
        ["remove", "ups", "a", "hq", "x"], ["remove-future", "yesterday"],
        ["remove-future", "2025-06-15T15:15:00Z", "x"], [], ["stats", "a", "b", "c", "d"],
    ])
    func rejectsOtherArguments(_ words: [String]) async throws {
        try await write([1_750_000_200])
        #expect(await Program.run(["history"] + words + ["--data-dir=\(directory.path)"]) == .usage, "\(words)")
        #expect(try await points == 2)
    }

    @Test func failsWithoutAHistory() async {
        #expect(await Program.run(["history", "stats", "--data-dir=\(directory.path)"]) == .failure)
        #expect(directory.names == [])
    }
}
