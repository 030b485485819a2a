// SPDX-License-Identifier: MIT

import Synchronization
import Testing
@testable import WPLogging
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct StreamLogHandlerTests {
    private final class FlakySink: LogSink {
        private struct State {
            var lines: [String] = []
            var isFull = false
            var flushes = 0
        }

        private let state = Mutex(State())

        var lines: [String] { state.withLock { $0.lines } }
        var flushes: Int { state.withLock { $0.flushes } }

        func setFull(_ isFull: Bool) {
            state.withLock { $0.isFull = isFull }
        }

        func write(_ line: [UInt8]) throws(LogSinkError) {
            try state.withLock { (state) throws(LogSinkError) in
                if state.isFull { throw LogSinkError(code: .write, output: "test", reason: "no space") }
                state.lines.append(String(decoding: line, as: UTF8.self))
            }
        }

        func flush() {
            state.withLock { $0.flushes += 1 }
        }
    }

    @Test func reportsALossOnceItIsOver() throws {
        let sink = FlakySink()
        let handler = StreamLogHandler(
            formatter: JSONLogFormatter(),
            sink: sink,
            timeSource: TestClock(wall: Date(timeIntervalSince1970: 1_750_000_100))
        )
        handler.handle(.sample(.info, "One"))
        sink.setFull(true)
        for _ in 0..<1000 { handler.handle(.sample(.info, "Lost")) }
        #expect(sink.lines.count == 1)
        #expect(handler.lostRecords == 1000)
        sink.setFull(false)
        handler.handle(.sample(.info, "Two"))
        handler.handle(.sample(.info, "Three"))

        let objects = try sink.lines.map { try JSONValue(parsing: $0) }
        #expect(
            objects.map { $0["msg"] } == ["One", "Two", "Log records were lost", "Three"].map { .string($0) }
        )
        #expect(objects[2]["level"] == .string("warn"))
        #expect(objects[2]["count"] == .number(1000))
        #expect(objects[2]["since"] == .string("2025-06-15T15:06:40.123Z"))
        #expect(objects[2]["error"] == .string("no space"))
        #expect(objects[2]["ts"] == .string("2025-06-15T15:08:20.000Z"))
    }

    @Test func addsStackTracesToErrorsOnly() throws {
        let sink = FlakySink()
        let handler = StreamLogHandler(formatter: JSONLogFormatter(), sink: sink, stackTraces: true)
        handler.handle(.sample(.warn, "One"))
        handler.handle(.sample(.error, "Two", ["stacktrace": "theirs"]))
        let objects = try sink.lines.map { try JSONValue(parsing: $0) }
        #expect(objects[0]["stacktrace"] == nil)
        #if canImport(Glibc) || canImport(Darwin)
        guard case .string(let trace) = objects[1]["stacktrace"] else {
            Issue.record("no stack trace in \(sink.lines[1])")
            return
        }
        let frames = trace.split(separator: "\n")
        #expect(frames.count > 2 && frames.count <= 32)
        #expect(frames.allSatisfy { $0.contains("0x") })
        func lines(ofACallWithin calls: Int) -> Int {
            guard calls > 0 else { return CallStack.text()?.split(separator: "\n").count ?? 0 }
            return withExtendedLifetime(calls) { lines(ofACallWithin: calls - 1) }
        }
        #expect(lines(ofACallWithin: 40) == 32)
        #endif
    }

    @Test func flushesItsSink() {
        let sink = FlakySink()
        StreamLogHandler(formatter: JSONLogFormatter(), sink: sink).flush()
        #expect(sink.flushes == 1)
    }
}
