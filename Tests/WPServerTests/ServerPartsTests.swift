// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPHTTP
import WPLogging
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

    @Test(.timeLimit(.minutes(1))) func runsTimersWhenTheyAreDue() async throws {
        let clock = TestClock()
        let loop = try EventLoop(timeSource: clock)
        try loop.start(named: "timers")
        let (fired, fire) = AsyncStream<Int>.makeStream()
        loop.execute {
            for seconds in [30, 10, 20] {
                loop.schedule(after: .seconds(seconds)) { fire.yield(seconds) }
            }
        }
        var iterator = fired.makeAsyncIterator()
        for seconds in [10, 20, 30] {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(10))
            #expect(await iterator.next() == seconds)
        }
        loop.execute { loop.stop() }
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
        let handler = CapturingLogHandler()
        var log = LimitedLog(handler.logger)
        func record(_ key: LimitedLog.Key, at seconds: Int) { log.record(key, at: .seconds(seconds), .warn, "m", [:]) }
        for _ in 0..<15 { record(.malformed, at: 0) }
        for _ in 0..<2 { record(.rejected, at: 0) }
        #expect(handler.records.map { $0.fields["suppressed"] } == Array(repeating: .int(0), count: 11))
        record(.malformed, at: 60)
        record(.malformed, at: 61)
        #expect(handler.records.suffix(2).map { $0.fields["suppressed"] } == [.int(5), .int(0)])
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
