// SPDX-License-Identifier: MIT

import Testing
import WPHTTP

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

@Suite("Parts of a server")
struct ServerPartsTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (Int64.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
    ])
    func writesTimes(seconds: Int64, fixdate: String) {
        #expect(IMFFixdate.string(unixSeconds: seconds) == fixdate)
    }

    @Test(arguments: [
        ("", "\"\""), ("a/b", "\"a/b\""), ("\"\\", "\"\\\"\\\\\""), ("\n\r\t\u{8}\u{0}", "\"\\n\\r\\t\\u0008\\u0000\""),
        ("ü€😀", "\"ü€😀\""), ("\u{2028}", "\"\\u2028\""),
    ])
    func quotesJSON(text: String, quoted: String) {
        #expect(JSONText.quoted(text) == quoted)
    }

    @Test func cutsJSONBetweenCharacters() {
        #expect(JSONText.quoted("aü€", maxBytes: 3) == "\"aü…\"")
        #expect(JSONText.quoted("aü€", maxBytes: 2) == "\"a…\"")
        #expect(JSONText.quoted("aü€", maxBytes: 6) == "\"aü€\"")
    }

    @Test func givesDeadlinesInOrder() {
        var heap = DeadlineHeap()
        let moments = (0..<200).map { UInt64($0 * 7919 % 211) }
        for (index, moment) in moments.enumerated() {
            heap.insert(DeadlineHeap.Entry(instant: LoopInstant(nanoseconds: moment), token: UInt64(index)))
        }
        #expect(heap.earliest?.nanoseconds == moments.min())
        var popped: [UInt64] = []
        while let entry = heap.popDue(LoopInstant(nanoseconds: 100)) { popped.append(entry.instant.nanoseconds) }
        #expect(popped == moments.filter { $0 <= 100 }.sorted())
        #expect(heap.count == moments.count { $0 > 100 })
        while let entry = heap.popDue(.never) { popped.append(entry.instant.nanoseconds) }
        #expect(popped == moments.sorted())
        #expect(heap.popDue(.never) == nil)
    }

    @Test func saturatesTime() {
        let instant = LoopInstant(nanoseconds: 10)
        #expect(instant.advanced(by: .nanoseconds(5)).nanoseconds == 15)
        #expect(instant.advanced(by: .seconds(-5)) == instant)
        #expect(instant.advanced(by: .seconds(Int64.max)) == .never)
        #expect(LoopInstant.never.advanced(by: .seconds(1)) == .never)
        #expect(instant.since(.never) == .zero)
        #expect(LoopInstant(nanoseconds: 25).since(instant) == .nanoseconds(15))
    }

    @Test func limitsItsLog() {
        var log = LimitedLog()
        var suppressed: [Int] = []
        let start = LoopInstant(nanoseconds: 0)
        for _ in 0..<15 { log.record(start, key: .malformed) { suppressed.append($0) } }
        log.record(start, key: .refused) { suppressed.append($0) }
        log.record(start, key: .refused) { suppressed.append($0) }
        #expect(suppressed == [Int](repeating: 0, count: 11))
        log.record(start.advanced(by: .seconds(60)), key: .malformed) { suppressed.append($0) }
        log.record(start.advanced(by: .seconds(61)), key: .malformed) { suppressed.append($0) }
        #expect(suppressed.suffix(2) == [5, 0])
    }

    @Test func givesOutputInParts() {
        var output = OutputBuffer(head: [1, 2, 3], body: [], tail: [4, 5])
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
        var joined = OutputBuffer(head: [1], body: [2], tail: [3])
        joined.join(upTo: 2)
        #expect(joined.withFirstPart { [UInt8]($0) } == [1])
        joined.join(upTo: 3)
        #expect(joined.withFirstPart { [UInt8]($0) } == [1, 2, 3])
    }

    @Test func keepsInputBounded() {
        var input = InputBuffer()
        var moved: [UInt8] = []
        for round in 0..<1000 {
            [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 100).withUnsafeBytes { input.append($0) }
            // One byte stays behind each time.
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
