// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
@testable import WPHistory
import WPLogging
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct HistoryTests {
    let clock = TestClock(wall: Date(timeIntervalSince1970: 1_000_000_200))
    let store = MemoryHistoryStore()
    /// The start of the bucket at the clock's initial time.
    let start: Int64 = 1_000_000_200

    private func history(_ configuration: History.Configuration = .init()) async throws -> History {
        try await History(store, configuration: configuration, timeSource: clock.timeSource, logger: .silent)
    }

    private func sample(_ offset: Double, _ load: Double? = nil, energy: Double? = nil) -> History.Sample {
        History.Sample(
            subject: ups,
            time: Double(start) + offset,
            values: load.map { [(.loadPercent, $0)] } ?? [],
            counters: energy.map { [(.energy, $0)] } ?? [],
            document: HistoryDocument(Array("{\"at\":\(offset)}".utf8))
        )
    }

    private func saved() async throws -> [HistoryBucket] {
        try await store.buckets(of: ups, from: 0, to: .max, step: 1)
    }

    @Test func `stores average, minimum, maximum and count per quantity`() async throws {
        let history = try await history()
        for (offset, load) in [(0.0, 10.0), (5, 40), (10, 25)] { history.record(sample(offset, load)) }
        history.record(sample(15))
        let bucket = try #require(try await history.buckets(of: ups, from: start, to: start + 300).first)
        #expect(bucket.samples == 4)
        #expect(bucket[.loadPercent] == .init(.loadPercent, count: 3, average: 25, minimum: 10, maximum: 40))
    }

    @Test func `saves a bucket two seconds after its end`() async throws {
        let history = try await history()
        history.record(sample(0, 10))
        let running = Task { await history.run() }
        for wait in [62, 60, 60, 60] {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(wait))
        }
        try await clock.waitForSleepers()
        #expect(try await saved().isEmpty)
        clock.advance(by: .seconds(60))
        try await clock.waitForSleepers()
        #expect(try await saved().map(\.start) == [start])
        running.cancel()
        await running.value
    }

    @Test func `records the increase of a counter across buckets and gaps`() async throws {
        let history = try await history()
        for (offset, energy) in [(0.0, 100.0), (290, 103), (305, 104), (1000, 110)] {
            history.record(sample(offset, energy: energy))
        }
        let buckets = try await history.buckets(of: ups, from: start, to: start + 3000)
        #expect(buckets.map(\.start) == [start, start + 300, start + 900])
        #expect(buckets.map { $0[.energy]?.average } == [3, 1, 6])
    }

    @Test func `restarts a counter that decreased`() async throws {
        let history = try await history()
        for (offset, energy) in [(0.0, 100.0), (5, 2), (10, 3)] { history.record(sample(offset, energy: energy)) }
        let bucket = try await history.buckets(of: ups, from: start, to: start + 300).first
        #expect(bucket?[.energy]?.average == 1)
    }

    @Test func `counts repeated and late samples once`() async throws {
        let history = try await history()
        #expect(history.record(sample(10, 1)) == .recorded)
        #expect(history.record(sample(10, 2)) == .duplicate)
        let late = HistoryIdentity(stream: 7, sequence: 2)
        #expect(history.record(.init(subject: ups, time: Double(start), identity: late)) == .recorded)
        // For a numbered sender, everything up to the last number is a duplicate.
        for sequence in [Int64(1), 2] {
            let repeated = HistoryIdentity(stream: 7, sequence: sequence)
            #expect(history.record(.init(subject: ups, time: Double(start), identity: repeated)) == .duplicate)
        }
        #expect(history.record(sample(-40 * 86_400, 3)) == .expired)
        let bucket = try await history.buckets(of: ups, from: start, to: start + 300).first
        #expect(bucket?.samples == 2)
    }

    @Test func `saves a bucket when it ends`() async throws {
        let history = try await history()
        history.record(sample(0, 10))
        await history.save()
        #expect(try await saved().isEmpty)
        clock.advance(by: .seconds(300))
        await history.save()
        #expect(try await saved().map(\.start) == [start])
        #expect(try await history.buckets(of: ups, from: start, to: start + 300).count == 1)
    }

    @Test func `saves an incomplete bucket at shutdown and resumes it`() async throws {
        let first = try await history()
        first.record(sample(0, 10, energy: 5))
        await first.close()
        let second = try await history()
        #expect(second.record(sample(0, 99)) == .duplicate)
        #expect(second.latest(of: ups)?.document.bytes == Array("{\"at\":0.0}".utf8))
        second.record(sample(5, 20, energy: 7))
        await second.saveAll()
        let bucket = try #require(try await saved().first)
        #expect(bucket.samples == 2)
        #expect(bucket[.loadPercent]?.average == 15)
        #expect(bucket[.energy]?.average == 2)
    }

    @Test func `recovers the increase of counters after a crash`() async throws {
        let first = try await history()
        first.record(sample(0, energy: 100))
        first.record(sample(299, energy: 110))
        first.record(sample(305, energy: 111))
        clock.advance(by: .seconds(310))
        await first.save()
        first.record(sample(311, energy: 115))
        // The crash: data recorded since the save is lost.
        let second = try await history()
        second.record(sample(650, energy: 120))
        let grown = try await second.buckets(of: ups, from: start, to: start + 900).compactMap { $0[.energy]?.average }
        #expect(grown.reduce(0, +) == 20)
    }

    @Test func `retries a failed write without loss`() async throws {
        let history = try await history()
        history.record(sample(0, 10))
        store.fail(HistoryStoreError(code: .full, message: "full"))
        #expect(history.status.failingSince == nil)
        let failed = clock.timeSource.now
        await history.saveAll()
        clock.advance(by: .seconds(5))
        await history.saveAll()
        #expect(history.status.failure?.code == .full)
        #expect(history.status.failingSince == failed)
        #expect(history.status.pendingBuckets == 1)
        #expect(try await history.buckets(of: ups, from: start, to: start + 300).count == 1)
        store.fail(nil)
        await history.saveAll()
        #expect(history.status.failure == nil)
        #expect(history.status.failingSince == nil)
        #expect(history.status.pendingBuckets == 0)
        #expect(try await saved().count == 1)
        #expect(try await store.subjects().first?.lastSample == Double(start))
    }

    @Test func `limits the number of subjects`() async throws {
        let history = try await history(.init(maxSubjects: 1))
        #expect(history.record(sample(0, 1)) == .recorded)
        #expect(history.record(History.Sample(subject: node, time: Double(start))) == .refused)
    }

    @Test func `removes buckets and subjects after the retention`() async throws {
        let history = try await history(.init(retention: .seconds(3600)))
        history.record(sample(0, 1))
        await history.saveAll()
        clock.advance(by: .seconds(4000))
        await history.prune()
        #expect(try await saved().isEmpty)
        #expect(history.latest(of: ups) == nil)
    }

    @Test func `forgets subjects of an earlier run after the retention`() async throws {
        let first = try await history(.init(retention: .seconds(3600)))
        first.record(sample(0, 1))
        first.record(History.Sample(subject: node, time: Double(start) + 3000))
        await first.close()
        let second = try await history(.init(retention: .seconds(3600)))
        let forgotten = Mutex<[HistorySubject]>([])
        second.onForget { gone in forgotten.withLock { $0 += gone } }
        clock.advance(by: .seconds(4000))
        await second.prune()
        #expect(forgotten.withLock(\.self) == [ups])
        #expect(second.latest(of: ups) == nil)
        #expect(second.latest(of: node) != nil)
    }

    /// From the 31st on, the first day of the month is older than 30 days.
    @Test(arguments: [(30, 31.5, true), (30, 32.5, false), (29, 29.5, false), (45, 44, true), (45, 46, false)])
    func `keeps the first day of a month until its last`(
        _ retention: Int,
        _ days: Double,
        _ isKept: Bool
    ) async throws {
        let history = try await history(.init(retention: .seconds(retention * 86_400)))
        history.record(sample(0, 1))
        await history.saveAll()
        clock.advance(by: .seconds(days * 86_400))
        await history.prune()
        #expect(try await saved().isEmpty != isKept)
    }

    @Test func `omits values that are not finite`() async throws {
        let history = try await history()
        history.record(sample(0, .nan))
        history.record(sample(5, .infinity))
        history.record(sample(10, 1e300))
        let bucket = try await history.buckets(of: ups, from: start, to: start + 300).first
        #expect(bucket?.aggregates.isEmpty == true)
        #expect(bucket?.samples == 3)
    }

    @Test(arguments: [(0.0, 302.0), (298, 4), (299.5, 2.5), (300, 302)])
    func `delays the first save until shortly after a bucket ends`(_ now: Double, _ expected: Double) {
        #expect(History.wait(at: now, interval: 300) == expected)
    }
}

@Suite struct HistoryBucketTests {
    @Test func `aligns buckets to the epoch, also before it`() {
        #expect(HistoryBucket.start(of: 1_000_000_199, step: 300) == 999_999_900)
        #expect(HistoryBucket.start(of: 0, step: 300) == 0)
        #expect(HistoryBucket.start(of: -1, step: 300) == -300)
    }

    @Test(arguments: [230.1, 0.1, -40.25, 1e12, 16_777_217])
    func `stores a mean between minimum and maximum`(_ value: Double) throws {
        let bucket = HistoryBucket(start: 0, seconds: 300, samples: 1, aggregates: [.init(.loadWatts, value)])
        let stored = try #require(
            bucket.aggregateBytes.withUnsafeBytes {
                HistoryBucket(start: 0, seconds: 300, samples: 1, bytes: $0)
            }
        )
        let aggregate = try #require(stored[.loadWatts])
        #expect(aggregate.minimum <= aggregate.average && aggregate.average <= aggregate.maximum)
        #expect(abs(aggregate.average - value) <= abs(value) * 1e-7)
    }

    @Test func `rejects truncated and foreign bytes`() {
        let whole = HistoryBucket(
            start: 0,
            seconds: 300,
            samples: 3,
            aggregates: [.init(.loadWatts, count: 2, average: 1, minimum: 0, maximum: 2), .init(.energy, 7)]
        )
        let bytes = whole.aggregateBytes
        func read(_ bytes: [UInt8]) -> HistoryBucket? {
            bytes.withUnsafeBytes { HistoryBucket(start: 0, seconds: 300, samples: 3, bytes: $0) }
        }
        #expect(read(bytes) == whole)
        for length in 1..<bytes.count where length != 14 { #expect(read(Array(bytes[..<length])) == nil) }
        // A quantity of a later version is skipped.
        #expect(read([100] + [UInt8](repeating: 0, count: 8) + bytes)?.aggregates == whole.aggregates)
    }

    @Test func `keeps the stored numbers and names of quantities`() {
        #expect(
            HistoryQuantity.allCases.map { "\($0.rawValue) \($0.name)" } == [
                "1 cpu_usage", "2 memory_usage", "3 disk_usage", "4 disk_io_read", "5 disk_io_write", "6 network_rx",
                "7 network_tx", "8 cpu_temp", "9 load_1", "32 load_percent", "33 load_watts", "34 battery_percent",
                "35 battery_runtime_seconds", "36 input_volts", "37 output_volts", "38 temperature_celsius",
                "39 battery_volts", "40 on_battery", "64 energy_watt_hours",
            ]
        )
        #expect(HistoryQuantity(rawValue: 0) == nil && HistoryQuantity(rawValue: 255) == nil)
    }
}
