// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPTestKit

@Suite struct LogContextTests {
    private let handler = CapturingLogHandler()

    private var fields: [String] {
        handler.records.map { $0.fields.all.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
    }

    @Test func fieldsFollowTheTask() async {
        let logger = handler.logger.with(["own": 1])
        await LogContext.with(["cycle": 7]) {
            logger.info("here", ["last": 2])
            await withTaskGroup(of: Void.self) { group in
                group.addTask { logger.info("in a child") }
                await group.waitForAll()
            }
            await Task { logger.info("in a task") }.value
            await Task.detached { logger.info("detached") }.value
        }
        logger.info("after")
        #expect(
            fields == [
                "own=int(1) cycle=int(7) last=int(2)", "own=int(1) cycle=int(7)", "own=int(1) cycle=int(7)",
                "own=int(1)", "own=int(1)",
            ]
        )
        #expect(LogContext.fields.isEmpty)
    }

    @Test func nestedFieldsAreCombined() {
        LogContext.with(["a": 1]) {
            LogContext.with(["b": 2]) { handler.logger.info("both") }
            handler.logger.info("one")
        }
        #expect(fields == ["a=int(1) b=int(2)", "a=int(1)"])
    }

    @Test func rethrowsErrors() {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try LogContext.with(["a": 1]) { throw Failure() }
        }
    }

    @Test func tasksAreIsolated() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await LogContext.with(["n": .int(number)]) {
                        await Task.yield()
                        handler.logger.info("text", ["expected": .int(number)])
                    }
                }
            }
        }
        #expect(handler.records.count == 20)
        #expect(handler.records.allSatisfy { $0.fields["n"] == $0.fields["expected"] })
    }
}
