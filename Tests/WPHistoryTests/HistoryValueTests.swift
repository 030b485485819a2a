// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPLogging
import WPTestKit

@testable import WPHistory

/// The values that the stores and the history compute with, at their limits.
@Suite struct HistoryValueTests {
    // MARK: Events

    @Test func `a query finds the events of its time and subject`() {
        let key = HistoryEvent.Key(ups, .alarm)
        let query = HistoryEventQuery(of: ups, from: 100, to: 200)
        func found(_ start: Int64, _ end: Int64?) -> Bool { query.matches(HistoryEvent(key, start: start, end: end)) }
        #expect(found(0, 100) && found(199, nil) && found(199, 300) && found(100, 150))
        #expect(!found(0, 99) && !found(200, nil) && !found(200, 300))
        #expect(!query.matches(HistoryEvent(.init(node, .alarm), start: 150)))
        #expect(HistoryEventQuery(from: 100, to: 200).matches(HistoryEvent(.init(node, .alarm), start: 150)))
        #expect(HistoryEventQuery.open.matches(HistoryEvent(key, start: 0)))
        #expect(!HistoryEventQuery.open.matches(HistoryEvent(key, start: 0, end: .max - 1)))
        #expect(query.limit == 10_000)
    }

    @Test func `only events that touch are joined`() {
        let key = HistoryEvent.Key(ups, .alarm)
        func joined(_ start: Int64, _ end: Int64?) -> [Int64?] {
            HistoryEvent.joined([HistoryEvent(key, start: 0, end: 10), HistoryEvent(key, start: start, end: end)]).map(
                \.end
            )
        }
        #expect(joined(10, 20) == [20] && joined(5, 7) == [10] && joined(5, nil) == [nil])
        #expect(joined(11, 20) == [20, 10])
        let others: [HistoryEvent.Key] = [
            .init(ups, .fault), .init(ups, .alarm, text: "b"), .init(ups, .alarm, text: "a"), .init(node, .alarm),
        ]
        let events = HistoryEvent.joined(others.map { HistoryEvent($0, start: 5, end: 6) })
        let keys = events.map(\.key)
        let order = [ups, node].sorted()
        #expect(keys.map(\.subject) == (order == [ups, node] ? [ups, ups, ups, node] : [node, ups, ups, ups]))
        #expect(keys.filter { $0.subject == ups } == [others[2], others[1], others[0]])
        #expect(HistoryEvent.Key(ups, .alarm, text: "\u{E9}") != HistoryEvent.Key(ups, .alarm, text: "e\u{301}"))
    }

    // MARK: Buckets

    @Test(
        arguments: [
            (0, [0]), (1, [1]), (127, [127]), (128, [0x80, 1]), (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 1]),
            (1 << 62, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]),
        ] as [(UInt64, [UInt8])]
    )
    func `writes numbers in groups of seven bits`(_ number: UInt64, _ expected: [UInt8]) {
        var bytes: [UInt8] = []
        bytes.appendNumber(number)
        #expect(bytes == expected)
        bytes.withUnsafeBytes { buffer in
            var reader = BytesReader(buffer)
            #expect(reader.number() == number)
            #expect(reader.isAtEnd)
        }
        bytes.dropLast().withUnsafeBytes { buffer in
            var reader = BytesReader(buffer)
            #expect(reader.number() == nil)
        }
    }

    @Test func `reads only the bytes that are there`() {
        [UInt8](1...8).withUnsafeBytes { buffer in
            var reader = BytesReader(buffer)
            #expect(reader.bytes(9) == nil && reader.bytes(-1) == nil)
            #expect(reader.bytes(0).map { $0.count } == 0)
            #expect(reader.bytes(2).map { [UInt8]($0) } == [1, 2])
            #expect(reader.uint64() == nil)
            #expect(reader.bigEndian(UInt32.self) == 0x0304_0506)
            #expect(reader.byte() == 7 && !reader.isAtEnd)
            #expect(reader.byte() == 8 && reader.isAtEnd && reader.byte() == nil)
        }
        [UInt8](repeating: 0x80, count: 10).withUnsafeBytes { buffer in
            var reader = BytesReader(buffer)
            #expect(reader.number() == nil)
        }
    }

    @Test func `merges buckets and counters`() {
        var bucket = HistoryBucket(
            start: 600,
            seconds: 300,
            samples: 1,
            aggregates: [.init(.loadWatts, count: 1, average: 10, minimum: 10, maximum: 10), .init(.energy, 2)]
        )
        #expect(bucket.end == 900)
        #expect(bucket[.energy] == .init(.energy, count: 1, average: 2, minimum: 0, maximum: 0))
        bucket.merge(
            HistoryBucket(
                start: 600,
                seconds: 600,
                samples: 3,
                aggregates: [.init(.loadWatts, count: 3, average: 30, minimum: 5, maximum: 50), .init(.energy, 4)]
            )
        )
        #expect(bucket.samples == 4 && bucket.seconds == 600)
        #expect(bucket[.loadWatts] == .init(.loadWatts, count: 4, average: 25, minimum: 5, maximum: 50))
        #expect(bucket[.energy] == .init(.energy, count: 2, average: 6, minimum: 0, maximum: 0))
        bucket.addGrowth(of: .energy, from: 3, to: 3)
        bucket.addGrowth(of: .energy, from: 3, to: 2)
        #expect(bucket[.energy]?.count == 3 && bucket[.energy]?.average == 6)
        let moved = HistoryBucket.growth(of: [bucket, bucket], to: 900)
        #expect(moved?.start == 900 && moved?.seconds == 600 && moved?.samples == 0)
        #expect(moved?.aggregates == [.init(.energy, count: 0, average: 12, minimum: 0, maximum: 0)])
        #expect(HistoryBucket.growth(of: [bucket], to: nil) == nil && HistoryBucket.growth(of: [], to: 0) == nil)
    }

    @Test func `identifies senders without numbers by their time in milliseconds`() {
        #expect(HistoryIdentity(senderTime: 12.3456) == HistoryIdentity(stream: 0, sequence: 12_346))
        #expect(HistoryIdentity(senderTime: .infinity) == HistoryIdentity(stream: 0, sequence: 0))
    }

    @Test func `remembers eight streams and 128 times`() {
        var seen = SeenIdentities()
        func isNew(_ stream: Int64, _ sequence: Int64) -> Bool {
            seen.insert(.init(stream: stream, sequence: sequence))
        }
        for stream in Int64(1)...8 { #expect(isNew(stream, 5)) }
        #expect(!isNew(1, 5) && !isNew(1, 4) && isNew(1, 6) && !isNew(8, 5))
        #expect(isNew(9, 5))
        #expect(!isNew(2, 5))
        #expect(isNew(1, 1))
        for time in Int64(1)...128 { #expect(isNew(0, time)) }
        #expect(!isNew(0, 1) && !isNew(0, 128))
        #expect(isNew(0, 129))
        #expect(!isNew(0, 2))
        #expect(isNew(0, 1))
    }

    @Test func `limits what waits to be written`() {
        var intake = HistoryIntake(isShared: false, seconds: 1, maxSubjects: 1)
        for time in 1...HistoryIntake.maxPending + 3 {
            #expect(intake.record(.init(subject: ups, time: Double(time)), at: .zero) == .recorded)
        }
        #expect(intake.record(.init(subject: node, time: 0), at: .zero) == .refused)
        let (batch, documents) = intake.beginWrite { _ in true }
        #expect(batch.buckets.count == HistoryIntake.maxPending && batch.buckets.first?.bucket.start == 4)
        #expect(intake.status.droppedBuckets == 3 && documents.count == 1 && batch.subjects.count == 1)
        #expect(intake.pendingCount == HistoryIntake.maxPending && intake.writesBegunAndEnded == 1)
        intake.failWrite(batch)
        #expect(intake.pendingCount == HistoryIntake.maxPending && intake.status.failedWrites == 1)
        let (again, _) = intake.beginWrite { _ in false }
        #expect(again.buckets.count == HistoryIntake.maxPending && again.subjects.count == 1)
        intake.endWrite()
        #expect(intake.pendingCount == 0 && intake.status.writes == 1 && intake.writesBegunAndEnded == 4)
        #expect(intake.beginWrite { _ in true }.0.isEmpty)
        #expect(intake.newest == Double(HistoryIntake.maxPending + 3))
        #expect(intake.forget(before: 1e9, recorded: .zero).isEmpty)
        #expect(intake.forget(before: 1e9, recorded: .seconds(1)) == [ups] && intake.newest == nil)
    }

    @Test func `writes shared samples in batches`() {
        var intake = HistoryIntake(isShared: true, seconds: 300, maxSubjects: 5000)
        for index in 0...HistoryIntake.samplesPerWrite {
            let subject = HistorySubject(kind: .node, name: "\(index)")
            #expect(intake.record(.init(subject: subject, time: 1.0006), at: .zero) == .recorded)
        }
        #expect(!intake.hasMore)
        let (batch, _) = intake.beginWrite { _ in false }
        #expect(batch.samples.count == HistoryIntake.samplesPerWrite && intake.hasMore)
        #expect(batch.samples.first?.all.map(\.time) == [1001])
        #expect(intake.pendingCount == HistoryIntake.samplesPerWrite + 1)
        intake.endWrite()
        #expect(intake.beginWrite { _ in false }.0.samples.count == 1 && !intake.hasMore)
    }

    // MARK: Shared histories

    @Test func `orders identities by stream and number`() {
        var position = HistoryPosition()
        #expect(position.identity == nil && position.isNewest(.init(stream: 1, sequence: .min)))
        position.advance(to: .init(stream: 1, sequence: 5))
        #expect(position.isNewest(.init(stream: 1, sequence: 5)) && !position.isNewest(.init(stream: 1, sequence: 4)))
        position.advance(to: .init(stream: 2, sequence: 1))
        #expect(!position.isNewest(.init(stream: 1, sequence: 9)) && position.rank(of: 1) == 0)
        #expect(position.rank(of: 2) == 1 && position.rank(of: 3) == nil)
        #expect(position.bytes.withUnsafeBytes { HistoryPosition($0) } == position)
        #expect([UInt8]().withUnsafeBytes { HistoryPosition($0) } == HistoryPosition())
        for stream in Int64(3)...Int64(HistoryPosition.maxStreams) {
            position.advance(to: .init(stream: stream, sequence: 0))
        }
        #expect(position.streams.first == 1)
        position.advance(to: .init(stream: 99, sequence: 7))
        #expect(position.streams.count == 16 && position.streams.first == 2)
        #expect(position.identity == HistoryIdentity(stream: 99, sequence: 7))
        let more = position.bytes + [UInt8](repeating: 0, count: 8)
        #expect(more.withUnsafeBytes { HistoryPosition($0) } == position)
    }

    @Test func `divides the samples of a stream into chunks of ten minutes`() {
        let length = HistoryChunk.length
        #expect(length == 600_000 && HistoryChunk.slots == 432)
        #expect([0, length - 1, length, -1, -length, -length - 1].map(HistoryChunk.number) == [0, 0, 1, -1, -1, -2])
        #expect(HistoryChunk.slot(stream: 0, number: 431) == 431 && HistoryChunk.slot(stream: 0, number: 432) == 0)
        #expect(HistoryChunk.slot(stream: 0, number: -1) == 431 && HistoryChunk.slot(stream: 433, number: 1) == 2)
        var chunk = HistoryChunk(of: .init(stream: 7, sequence: 2 * length + 5))
        #expect(chunk.number == 2 && chunk.stream == 7 && chunk.slot == 9)
        for (sequence, isNew) in [(10, true), (20, true), (10, false), (15, true), (5, true), (20, false)]
            as [(Int64, Bool)]
        {
            let counters: [HistoryQuantity: HistoryChunk.Total] = [.energy: .init(value: 1.5, isFirst: sequence == 15)]
            let entry = HistoryChunk.Entry(sequence: 2 * length + sequence, time: -sequence, counters: counters)
            #expect(chunk.insert(entry) == isNew)
        }
        #expect(chunk.entries.map { $0.sequence - 2 * length } == [5, 10, 15, 20])
        #expect(chunk.bytes.withUnsafeBytes { HistoryChunk($0) } == chunk)
        #expect(chunk.bytes.dropLast().withUnsafeBytes { HistoryChunk($0) }?.entries == Array(chunk.entries.dropLast()))
        #expect(chunk.bytes.prefix(15).withUnsafeBytes { HistoryChunk($0) } == nil)
        let slots = HistoryFold.slots(for: [.init(identity: .init(stream: 0, sequence: 0), time: 0)])
        #expect(slots == [431, 0, 1])
    }

    @Test func `keeps the finite values of samples`() {
        var samples = HistorySamples(subject: ups, seconds: 300)
        let identity = HistoryIdentity(stream: -1, sequence: -2)
        samples.append(
            identity: identity,
            time: -3,
            values: [(.loadWatts, 1.5), (.loadPercent, .nan), (.inputVolts, 1e300), (.energy, 1)],
            counters: [(.energy, 2.5), (.loadWatts, 9)]
        )
        samples.append(identity: .init(stream: 0, sequence: 1), time: 4, values: [], counters: [(.energy, .infinity)])
        #expect(
            samples.all == [
                .init(identity: identity, time: -3, values: [.loadWatts: 1.5], counters: [.energy: 2.5]),
                .init(identity: .init(stream: 0, sequence: 1), time: 4),
            ]
        )
        #expect(samples.size == samples.all.count * 25 + 5 + 9 + 160)
    }

    @Test func `writes the arrays of PostgreSQL`() {
        #expect(PostgresText.hex([0x00, 0x9A, 0xFF, 0x5B]) == "009aff5b" && PostgresText.hex([]).isEmpty)
        #expect(PostgresText.bytes("\\x009aff5b") == [0x00, 0x9A, 0xFF, 0x5B] && PostgresText.bytes("\\x").isEmpty)
        #expect(PostgresText.bytes("009a").isEmpty && PostgresText.bytes(nil).isEmpty)
        #expect(PostgresText.array([1, -2] as [Int64]) == "{1,-2}")
        #expect(PostgresText.array([1.5, .infinity, -.infinity]) == "{1.5,Infinity,-Infinity}")
        #expect(PostgresText.array(["a", ""]) == "{a,\"\"}")
        #expect(["1.5", "Infinity", "-Infinity", nil].map(PostgresText.double) == [1.5, .infinity, -.infinity, 0])
    }

    // MARK: Clocks

    @Test(
        arguments: [
            (300.0, 0.0, nil), (300.001, 0, .behindHistory), (-7 * 86_400, 0, nil),
            (-7 * 86_400 - 0.001, 0, .aheadOfHistory),
            (0, 60, nil), (0, -60, nil), (0, 60.001, .sendersDisagree), (0, -60.001, .sendersDisagree),
        ] as [(Double, Double, ClockCheck.Reason?)]
    )
    func `tolerates small differences of clocks`(_ newest: Double, _ lead: Double, _ reason: ClockCheck.Reason?) {
        let now = TimePoint(wall: TestClock().now.wall, monotonic: .seconds(10))
        var check = ClockCheck(now)
        check.learn(newest: now.secondsSince1970 + newest, at: now)
        check.learn(newest: now.secondsSince1970 + 1e6, at: now)
        check.compare(senders: lead, at: now)
        #expect(check.problem?.reason == reason)
    }

    @Test func `is plausible from 2001 on`() {
        let clock = TestClock()
        clock.stepWall(by: ClockCheck.earliest - clock.now.secondsSince1970)
        #expect(ClockCheck.earliest == 978_307_200)
        #expect(ClockCheck(clock.now).problem == nil)
        clock.stepWall(by: -1)
        #expect(ClockCheck(clock.now).problem?.seconds == -1)
    }

    @Test func `steps from one minute on are reported`() {
        let clock = TestClock()
        var check = ClockCheck(clock.now)
        clock.stepWall(by: 60)
        check.observe(clock.now)
        #expect(check.problem?.reason == .stepped && check.problem?.seconds == 60)
        clock.stepWall(by: 60)
        check.observe(clock.now)
        #expect(check.problem?.seconds == 120)
        clock.stepWall(by: -61)
        check.observe(clock.now)
        #expect(check.problem == nil)
    }

    @Test func `has the documented defaults`() {
        let configuration = History.Configuration()
        #expect(configuration.interval == .seconds(300) && configuration.retention == .seconds(2_592_000))
        #expect(configuration.maxSubjects == 10_000 && configuration.seconds == 300 && configuration.kept == 2_764_800)
        #expect(History.Configuration(interval: .milliseconds(1)).seconds == 1)
        #expect([10, 20, 60, 300].map { History.wait(at: 0, interval: $0) } == [11, 22, 62, 302])
    }
}
