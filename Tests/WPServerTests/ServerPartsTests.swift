// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPHTTP
import WPSockets
import WPTestKit

@testable import WPServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Components of a server")
struct ServerPartsTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (Int64.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
    ])
    func formatsTimes(seconds: Int64, fixdate: String) {
        #expect(IMFFixdate.string(unixSeconds: seconds) == fixdate)
    }

    @Test func returnsDeadlinesInOrder() {
        var heap = DeadlineHeap()
        let moments = (0..<200).map { Duration.nanoseconds($0 * 7919 % 211) }
        for (index, moment) in moments.enumerated() {
            heap.insert(DeadlineHeap.Entry(instant: moment, token: UInt64(index)))
        }
        #expect(heap.earliest == moments.min())
        var popped: [Duration] = []
        while let entry = heap.popDue(.nanoseconds(100)) { popped.append(entry.instant) }
        #expect(popped == moments.filter { $0 <= .nanoseconds(100) }.sorted())
        #expect(heap.count == moments.count { $0 > .nanoseconds(100) })
        while let entry = heap.popDue(.never) { popped.append(entry.instant) }
        #expect(popped == moments.sorted())
        #expect(heap.popDue(.never) == nil)
    }

    @Test func clampsDeadlines() {
        let instant = Duration.nanoseconds(10)
        #expect(instant.advanced(by: .nanoseconds(5)) == .nanoseconds(15))
        #expect(instant.advanced(by: .seconds(-5)) == instant)
        #expect(instant.advanced(by: .seconds(Int64.max)) == .never)
        #expect(instant.advanced(by: .seconds(Int64.max) * 18) == .never)
        #expect(Duration.never.advanced(by: .seconds(1)) == .never)
    }

    @Test(.timeLimit(.minutes(1))) func alarmFollowsTheEarliestDeadline() async throws {
        let clock = TestClock()
        let (wakes, wake) = AsyncStream<Duration>.makeStream()
        let alarm = DeadlineAlarm(clock) { wake.yield(clock.now.monotonic) }
        alarm.set(.seconds(20))
        alarm.set(.seconds(10))
        clock.advance(by: .seconds(10))
        var iterator = wakes.makeAsyncIterator()
        #expect(await iterator.next() == .seconds(10))
        alarm.set(.seconds(30))
        try await clock.waitForSleepers()
        alarm.set(nil)
        clock.advance(by: .seconds(60))
        wake.finish()
        #expect(await iterator.next() == nil)
    }

    @Test func limitsLogLines() {
        var log = LimitedLog()
        var suppressed: [Int] = []
        let start = Duration.zero
        for _ in 0..<15 { log.record(start, key: .malformed) { suppressed.append($0) } }
        log.record(start, key: .refused) { suppressed.append($0) }
        log.record(start, key: .refused) { suppressed.append($0) }
        #expect(suppressed == [Int](repeating: 0, count: 11))
        log.record(start.advanced(by: .seconds(60)), key: .malformed) { suppressed.append($0) }
        log.record(start.advanced(by: .seconds(61)), key: .malformed) { suppressed.append($0) }
        #expect(suppressed.suffix(2) == [5, 0])
    }

    @Test func returnsOutputInParts() {
        var output = OutputBuffer([[1, 2, 3], [], [4, 5], []])
        func left() -> [UInt8] {
            output.withParts { vectors in
                vectors.flatMap { [UInt8](UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len)) }
            }
        }
        #expect(left() == [1, 2, 3, 4, 5])
        output.advance(by: 2)
        #expect(left() == [3, 4, 5])
        #expect(output.withFirstPart { [UInt8]($0) } == [3])
        output.advance(by: 2)
        #expect(left() == [5])
        output.advance(by: 9)
        #expect(left() == [])
        #expect(output.remaining == 0)
        #expect(output.withFirstPart { $0.count } == 0)
        var joined = OutputBuffer([[1], [2], [3]])
        joined.join(upTo: 2)
        #expect(joined.withFirstPart { [UInt8]($0) } == [1, 2])
        joined.join(upTo: 3)
        #expect(joined.withFirstPart { [UInt8]($0) } == [1, 2, 3])
        #expect(joined.remaining == 3)
    }

    /// More parts than one system call can send.
    @Test func returnsManyPartsInOrder() {
        var output = OutputBuffer((0..<100).map { [UInt8]($0..<$0 + 3) })
        var taken: [UInt8] = []
        while output.remaining > 0 {
            let some = output.withParts { vectors in
                vectors.flatMap { [UInt8](UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len)) }
            }
            #expect(!some.isEmpty)
            taken += some.prefix(7)
            output.advance(by: min(7, some.count))
        }
        #expect(taken == (0..<100).flatMap { [UInt8]($0..<$0 + 3) })
    }

    /// A repeated head is recognized whatever follows it, and no other head is confused with it.
    @Test func reusesTheLastHead() throws {
        let heads = RequestHeads(limits: HTTPLimits())
        func parse(_ text: String) throws -> RequestHeads.Known? {
            try Array(text.utf8).withUnsafeBytes { bytes in try heads.parse(bytes) }
        }
        let first = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
        for (text, target) in [
            (first, "/a"), (first + first, "/a"), ("GET /b HTTP/1.1\r\nHost: a\r\n\r\n", "/b"), (first, "/a"),
        ] {
            let known = try #require(try parse(text))
            #expect(known.head.target == target)
            #expect(known.length == first.utf8.count)
        }
        #expect(try parse(String(first.dropLast())) == nil)
        #expect(throws: HTTPWireError.self) { try parse(first.dropLast(2) + "\n") }
        let long = "GET /a HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 4096) + "\r\n\r\n"
        for _ in 0..<2 { #expect(try parse(long)?.head.headers["X"]?.utf8.count == 4096) }
        #expect(try parse(first)?.head.headers["X"] == nil)
        // Cached neither with credentials nor for other limits.
        let secret = first.dropLast(1) + "Authorization: Bearer x\r\n\r\n"
        for _ in 0..<2 {
            #expect(try parse(String(secret))?.head.headers["Authorization"] == "Bearer x")
            #expect(try parse(first)?.head.headers["Authorization"] == nil)
        }
        heads.limits = HTTPLimits(maxStartLineBytes: 3)
        #expect(throws: HTTPWireError.self) { try parse(first) }
    }

    @Test func limitsBufferedInput() {
        var input = InputBuffer()
        var moved: [UInt8] = []
        for round in 0..<1000 {
            [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 100).withUnsafeBytes { input.append($0) }
            // One byte remains each time.
            input.move(upTo: round == 0 ? 99 : 100, to: &moved)
            #expect(input.count == 1)
        }
        #expect(moved.count == 99_999)
        input.consume(5)
        #expect(input.isEmpty)
        [UInt8]("ab\ncd".utf8).withUnsafeBytes { input.append($0) }
        #expect(input.hasLineFeed(inLast: 3))
        #expect(!input.hasLineFeed(inLast: 2))
    }
}
