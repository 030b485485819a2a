// SPDX-License-Identifier: MIT

import Testing
@testable import WPLogging
import WPTestKit
import WPTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct LoggingSystemTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func lines(_ name: String) throws -> [String] {
        try folder.text(of: name).split(separator: "\n").map(String.init)
    }

    @Test func logsJSONToAFile() throws {
        let system = try LoggingSystem(LoggingConfiguration(output: .file(folder.file("wp.log"))))
        system.logger.debug("Not wanted")
        system.logger.named("collector").info(
            "Device data collected",
            ["devices": 3, "duration_ms": .milliseconds(.milliseconds(42))]
        )
        system.logger.error("Login was rejected", ["status": 401])
        system.flush()
        let objects = try lines("wp.log").map { try JSONValue(parsing: $0) }
        #expect(objects.count == 2)
        let collected = objects.filter { $0["msg"] == .string("Device data collected") }
        #expect(collected.map { $0["duration_ms"] } == [.number(42)])
        #expect(collected.map { $0["module"] } == [.string("collector")])
        #expect(objects.filter { $0["level"] == .string("error") }.map { $0["status"] } == [.number(401)])
        #expect(objects.allSatisfy { $0["caller"] == nil && $0["stacktrace"] == nil })
        #expect(system.lostRecords == 0)
    }

    @Test func hasDocumentedDefaults() {
        let standard = LoggingConfiguration()
        #expect(standard.level == .info && standard.format == .json && standard.output == .standardOutput)
        #expect(standard.rotation == LogRotation())
        #expect(!standard.enableCaller && !standard.enableStacktrace)
    }

    @Test(
        arguments: [
            (.zero, nil), (.seconds(-1), nil), (.microseconds(1), 1), (.milliseconds(1500), 1_500_000),
            (.seconds(Int64.max / 1_000_000), Int64.max / 1_000_000 * 1_000_000), (.seconds(Int64.max), nil),
        ] as [(Duration, Int64?)]
    )
    func countsTheAgeInMicroseconds(_ age: Duration, _ microseconds: Int64?) {
        #expect(LogRotation(maxAge: age).maxAgeInMicroseconds == microseconds)
    }

    @Test func changesTheLevelWhileRunning() throws {
        let system = try LoggingSystem(
            LoggingConfiguration(level: .error, format: .console, output: .file(folder.file("wp.log")))
        )
        system.logger.info("One")
        system.threshold.level = .debug
        system.logger.debug("Two")
        let all = try lines("wp.log")
        #expect(all.count == 1)
        #expect(all.first?.hasSuffix("Z DEBUG Two") == true)
    }

    @Test func addsCallerAndStackTrace() throws {
        let system = try LoggingSystem(
            LoggingConfiguration(
                output: .file(folder.file("wp.log")),
                enableCaller: true,
                enableStacktrace: true
            )
        )
        system.logger.error("Text")
        let line: UInt = #line - 1
        let object = try JSONValue(parsing: try lines("wp.log").joined())
        #expect(object["caller"] == .string("WPLoggingTests/LoggingSystemTests.swift:\(line)"))
        #if canImport(Glibc) || canImport(Darwin)
        #expect(object["stacktrace"] != nil)
        #endif
    }

    @Test func reconfiguresExistingLoggers() throws {
        let first = LoggingConfiguration(level: .warn, output: .file(folder.file("one.log")))
        let system = try LoggingSystem(first, environment: [:])
        let logger = system.logger.named("client")
        logger.info("Not wanted")
        logger.warn("Text")

        // The same file is reused; only the format changes.
        var second = first
        second.format = .console
        second.moduleLevels = ["client": .debug]
        let change = try system.change(to: second)
        logger.debug("Not yet")
        change()
        logger.debug("Text")
        system.logger.info("Not wanted")

        var third = second
        third.output = .file(folder.file("two.log"))
        third.moduleLevels = [:]
        third.level = .error
        try system.change(to: third)()
        logger.warn("Not wanted")
        logger.error("Elsewhere")

        let one = try lines("one.log")
        #expect(one.count == 2)
        #expect(one.first?.hasPrefix("{\"level\":\"warn\"") == true)
        #expect(one.last?.contains(" DEBUG Text  module=client") == true)
        #expect(try lines("two.log").count == 1)
    }

    @Test func keepsItsOutputIfTheNewFileCannotBeOpened() throws {
        let system = try LoggingSystem(LoggingConfiguration(output: .file(folder.file("wp.log"))))
        #expect(throws: LogSinkError.self) {
            _ = try system.change(to: LoggingConfiguration(level: .debug, output: .file(folder.path)))
        }
        system.logger.debug("Not wanted")
        system.logger.info("Text")
        #expect(try lines("wp.log").count == 1)
    }

    @Test func countsLossesAcrossAReconfiguration() throws {
        let system = try LoggingSystem(LoggingConfiguration(output: .file("/dev/full")))
        system.logger.error("Lost")
        try system.change(to: LoggingConfiguration(output: .file(folder.file("wp.log"))))()
        system.logger.error("Kept")
        #expect(system.lostRecords == 1)
        #expect(try lines("wp.log").count == 1)
    }

    @Test(arguments: [LoggingConfiguration.Format.json, .console])
    func reopensItsFile(_ format: LoggingConfiguration.Format) throws {
        let system = try LoggingSystem(
            LoggingConfiguration(format: format, output: .file(folder.file("wp.log")))
        )
        system.logger.info("One")
        #expect(rename(folder.file("wp.log"), folder.file("wp.log.1")) == 0)
        try system.reopen()
        system.logger.info("Two")
        #expect(try lines("wp.log.1").count == 1)
        #expect(try lines("wp.log").count == 1)
    }

    @Test func reportsThePathItCannotWrite() throws {
        let path = folder.file("folder")
        try folder.write("x", to: "file")
        for path in [folder.path, folder.file("file") + "/wp.log", ""] {
            let error = #expect(throws: LogSinkError.self) {
                try LoggingSystem(LoggingConfiguration(output: .file(path)))
            }
            #expect(error?.code == .open)
            #expect(error?.output == path)
            #expect(error?.description.hasPrefix("cannot open \(path) to append log records: ") == true)
        }
        #expect(!folder.names.contains(path))
    }

    @Test func logsErrorsOfTheLogFile() throws {
        try folder.write("old\n", to: "wp-20200101T000000.000Z.log")
        #expect(mkdir(folder.file("wp-20200101T000000.000Z.log.gz.part"), 0o755) == 0)
        let system = try LoggingSystem(
            LoggingConfiguration(output: .file(folder.file("wp.log")), maxAgeDays: 0)
        )
        system.waitForBackups()
        let objects = try lines("wp.log").map { try JSONValue(parsing: $0) }
        #expect(objects.map { $0["level"] } == [.string("warn")])
        guard case .string(let text) = objects.first?["error"] else {
            Issue.record("no error in the log")
            return
        }
        let backup = folder.file("wp-20200101T000000.000Z.log")
        #expect(text == "cannot compress the log backup \(backup): Is a directory; it stays uncompressed")
        #expect(try folder.text(of: "wp-20200101T000000.000Z.log") == "old\n")
    }

    @Test(arguments: ["stdout", "stderr", "/var/log/wp.log", "STDOUT"])
    func parsesOutputs(_ text: String) {
        let expected: [String: LoggingConfiguration.Output] = ["stdout": .standardOutput, "stderr": .standardError]
        #expect(LoggingConfiguration.Output(text) == expected[text] ?? .file(text))
        #expect(LoggingConfiguration.Output(text).description == text)
    }

    @Test func limitsAreMebibytesAndDays() {
        func rotation(_ size: Int, _ age: Int) -> LogRotation {
            let configuration = LoggingConfiguration(maxSizeMB: size, maxAgeDays: age, maxBackups: 3, compress: false)
            return configuration.rotation
        }
        func rule(_ bytes: Int, _ age: Duration) -> LogRotation {
            LogRotation(maxBytes: bytes, maxAge: age, maxBackups: 3, compresses: false)
        }
        #expect(rotation(5, 7) == rule(5_242_880, .seconds(604_800)))
        #expect(rotation(0, 1_000_000) == rule(0, .seconds(86_400_000_000)))
        #expect(rotation(-1, 1_000_001) == rule(0, .zero))
        #expect(rotation(Int.max >> 20, -1) == rule((Int.max >> 20) << 20, .zero))
        #expect(rotation((Int.max >> 20) + 1, 0) == rule(0, .zero))
    }

    @Test(arguments: [Int.max, 1 << 43, 0, -1, .min])
    func acceptsAnyLimit(_ limit: Int) throws {
        let system = try LoggingSystem(
            LoggingConfiguration(
                output: .file(folder.file("wp.log")),
                maxSizeMB: limit,
                maxAgeDays: limit,
                maxBackups: limit
            )
        )
        system.logger.info("One")
        system.logger.info("Two")
        #expect(try lines("wp.log").count == 2)
        #expect(folder.names == ["wp.log"])
    }
}
