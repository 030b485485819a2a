// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPLogging
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct LoggerTests {
    @Test func buildsNothingBelowTheThreshold() {
        let handler = CapturingLogHandler()
        let logger = Logger(handler: handler, threshold: LogThreshold(.warn))
        let built = Mutex(0)
        func message() -> String {
            built.withLock { $0 += 1 }
            return "text"
        }
        func fields() -> LogFields {
            built.withLock { $0 += 1 }
            return ["key": 1]
        }
        logger.debug(message(), fields())
        logger.info(message(), fields())
        #expect(built.withLock { $0 } == 0)
        logger.warn(message(), fields())
        logger.error(message(), fields())
        #expect(built.withLock { $0 } == 4)
        #expect(handler.records.map(\.level) == [.warn, .error])
    }

    @Test(arguments: LogLevel.allCases, LogLevel.allCases)
    func logsAtOrAboveTheThreshold(_ threshold: LogLevel, _ level: LogLevel) {
        let handler = CapturingLogHandler()
        let shared = LogThreshold(.error)
        let logger = Logger(handler: handler, threshold: shared).named("x")
        shared.level = threshold
        #expect(shared.level == threshold)
        logger.log(level, "text")
        #expect(logger.isEnabled(level) == (level >= threshold))
        #expect(handler.records.count == (level >= threshold ? 1 : 0))
    }

    @Test func writesItsContextFirst() {
        let handler = CapturingLogHandler()
        handler.logger.with(["device": "a"]).named("client").with(["device": "b"]).info("Text", ["n": 1])
        let record = handler.records.first
        #expect(record?.fields.all.map(\.key) == ["device", "module", "device", "n"])
        #expect(record?.fields["device"] == "b")
        #expect(record?.fields["module"] == "client")
        #expect(record?.fields["absent"] == nil)
    }

    @Test func memoryIsBounded() {
        let handler = MemoryLogHandler(capacity: 32)
        for number in 0..<100 { handler.logger.info("\(number)") }
        #expect(handler.messages() == (68..<100).map(String.init))
        #expect(handler.mentions("99") && !handler.mentions("100"))
        let one = MemoryLogHandler(capacity: 1)
        for number in 0..<3 { one.logger.info("\(number)") }
        #expect(one.messages() == ["2"])
    }

    @Test func recordsTimeAndLocation() {
        let handler = CapturingLogHandler()
        let moment = Date(timeIntervalSince1970: 42)
        let logger = Logger(handler: handler, timeSource: TestClock(wall: moment)).with(["a": 1])
        logger.info("Text")
        let line: UInt = #line - 1
        #expect(handler.records.first?.time == moment)
        #expect(handler.records.first?.caller.description == "WPLoggingTests/LoggerTests.swift:\(line)")
    }

    @Test func silentLoggerDiscardsEverything() {
        #expect(Logger.silent.isEnabled(.error))
        Logger.silent.error("Text")
        Logger.silent.flush()
    }

    @Test(arguments: [
        (Duration.microseconds(12_345), 12.345), (.zero, 0), (.milliseconds(-1), -1), (.nanoseconds(999), 0),
        (.seconds(Int64.max), 9.223372036854775807e21), (.seconds(Int64.min), -9.223372036854775808e21),
    ])
    func writesSpansInMilliseconds(_ span: Duration, _ milliseconds: Double) {
        #expect(LogValue.milliseconds(span) == .double(milliseconds))
    }
}
