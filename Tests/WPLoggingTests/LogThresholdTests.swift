// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPTestKit

@Suite struct LogThresholdTests {
    private let handler = CapturingLogHandler()

    @Test func modulesHaveTheirOwnLevels() {
        let root = Logger(
            handler: handler,
            threshold: LogThreshold(.warn, modules: ["client": .debug, "http": .error])
        )
        let (client, http, other) = (root.named("client"), root.named("http"), root.named("other"))
        for logger in [root, client, http, other, client.named("http"), http.with(["a": 1])] {
            logger.debug("debug")
            logger.warn("warn")
            logger.error("error")
        }
        let seen = handler.records.map { "\($0.fields["module"] ?? "-") \($0.message)" }
        #expect(
            seen.map { $0.replacing("string(\"", with: "").replacing("\")", with: "") } == [
                "- warn", "- error", "client debug", "client warn", "client error", "http error", "other warn",
                "other error", "http error", "http error",
            ]
        )
    }

    @Test func changesTheLevelsOfExistingLoggers() {
        let threshold = LogThreshold(.info)
        let logger = Logger(handler: handler, threshold: threshold)
        let (client, other) = (logger.named("client"), logger.named("other"))
        #expect(logger.levels === threshold && client.levels === threshold)
        threshold.set(.error, modules: ["client": .debug])
        #expect(threshold.level == .error)
        #expect(threshold.moduleLevels == ["client": .debug])
        #expect(client.isEnabled(.debug) && !other.isEnabled(.warn) && !logger.isEnabled(.warn))
        #expect(logger.named("client").isEnabled(.debug))
        // The common level does not change modules with their own level.
        threshold.level = .warn
        #expect(client.isEnabled(.debug) && other.isEnabled(.warn) && logger.isEnabled(.warn))
        threshold.set(.info, modules: [:])
        #expect(!client.isEnabled(.debug) && client.isEnabled(.info) && other.isEnabled(.info))
    }
}
