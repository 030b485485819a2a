// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPGzip
import WPTestKit

@testable import WPLogging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct RotatingFileSinkTests {
    private let folder: TemporaryDirectory
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func open(_ rotation: LogRotation, _ name: String = "wp.log") throws -> RotatingFileSink {
        try RotatingFileSink(path: folder.file(name), rotation: rotation, timeSource: clock)
    }

    private func line(_ text: String) -> [UInt8] { [UInt8]("\(text)\n".utf8) }

    /// A rule with at most one limit, without compression.
    private func only(bytes: Int = 0, age: Duration = .zero, backups: Int = 0) -> LogRotation {
        LogRotation(maxBytes: bytes, maxAge: age, maxBackups: backups, compresses: false)
    }

    @Test func createsTheFileWithMode0640() throws {
        let sink = try open(LogRotation(), "new/folder/wp.log")
        try sink.write(line("one"))
        sink.flush()
        #expect(try folder.text(of: "new/folder/wp.log") == "one\n")
        var status = stat()
        #expect(stat(folder.file("new/folder/wp.log"), &status) == 0)
        #expect(status.st_mode & 0o777 & ~0o640 == 0)
        #expect(status.st_mode & 0o600 == 0o600)
        for directory in ["new", "new/folder"] {
            #expect(stat(folder.file(directory), &status) == 0)
            #expect(status.st_mode & 0o777 & ~0o750 == 0, "\(directory)")
        }
    }

    @Test func rotatesBySize() throws {
        let sink = try open(only(bytes: 10))
        for text in ["1234", "5678", "9", "longer than the limit", "x"] { try sink.write(line(text)) }
        sink.waitForBackups()
        #expect(try folder.text(of: "wp.log") == "x\n")
        #expect(
            folder.names == [
                "wp-20250615T150640.000Z.log", "wp-20250615T150640.001Z.log", "wp-20250615T150640.002Z.log", "wp.log",
            ]
        )
        let texts = try folder.names.prefix(3).map { try folder.text(of: $0) }
        #expect(texts == ["1234\n5678\n", "9\n", "longer than the limit\n"])
    }

    @Test func rotatesByAge() throws {
        let sink = try open(only(age: .seconds(3600)))
        try sink.write(line("one"))
        clock.advance(by: .seconds(3600))
        try sink.write(line("two"))
        sink.waitForBackups()
        #expect(folder.names == ["wp.log"])
        clock.advance(by: .milliseconds(1))
        try sink.write(line("three"))
        sink.waitForBackups()
        #expect(folder.names == ["wp-20250615T160640.001Z.log", "wp.log"])
        #expect(try folder.text(of: "wp.log") == "three\n")
    }

    @Test func deletesBackupsByCount() throws {
        let sink = try open(only(bytes: 2, backups: 2))
        for text in ["1", "2", "3", "4", "5"] {
            try sink.write(line(text))
            clock.advance(by: .seconds(1))
        }
        sink.waitForBackups()
        #expect(folder.names == ["wp-20250615T150643.000Z.log", "wp-20250615T150644.000Z.log", "wp.log"])
        #expect(try folder.names.map { try folder.text(of: $0) } == ["3\n", "4\n", "5\n"])
    }

    @Test func keepsThreeCompressedBackupsOfAHundredMegabytesByDefault() {
        let rotation = LogRotation()
        #expect(rotation.maxBytes == 104_857_600 && rotation.maxAge == .seconds(604_800))
        #expect(rotation.maxBackups == 3 && rotation.compresses)
    }

    @Test func reportsABackupThatCannotBeDeleted() throws {
        for name in ["wp-20250615T150000.000Z.log", "wp-20250615T140000.000Z.log.gz"] {
            #expect(mkdir(folder.file(name), 0o700) == 0)
        }
        let problems = LogBackups(path: folder.file("wp.log"), rotation: only(age: .seconds(60)))
            .maintain(time: Int64(clock.now.secondsSince1970 * 1_000_000))
        #expect(problems.map(\.code) == [.prune, .prune])
        #expect(folder.names.count == 2)
    }

    @Test func keepsASingleBackup() throws {
        let sink = try open(only(bytes: 2, backups: 1))
        for text in ["1", "2", "3"] {
            try sink.write(line(text))
            clock.advance(by: .seconds(1))
        }
        sink.waitForBackups()
        #expect(folder.names == ["wp-20250615T150642.000Z.log", "wp.log"])
    }

    @Test func deletesBackupsByAge() throws {
        let sink = try open(only(bytes: 2, age: .seconds(100)))
        for text in ["1", "2", "3"] {
            try sink.write(line(text))
            clock.advance(by: .seconds(60))
        }
        try sink.write(line("4"))
        sink.waitForBackups()
        #expect(folder.names == ["wp-20250615T150840.000Z.log", "wp-20250615T150940.000Z.log", "wp.log"])
    }

    @Test func compressesBackups() throws {
        let text = String(repeating: "the same again ", count: 20_000)
        let sink = try open(LogRotation(maxBytes: 100_000))
        try sink.write(line(text))
        try sink.write(line("next"))
        sink.waitForBackups()
        #expect(folder.names == ["wp-20250615T150640.000Z.log.gz", "wp.log"])
        let packed = try folder.bytes(of: "wp-20250615T150640.000Z.log.gz")
        #expect(packed.count < 10_000)
        #expect(try Gzip.decompress(packed, limit: 1 << 20) == line(text))
    }

    /// As after a reload with other limits: the old sink completes its work.
    @Test func twoSinksOfOnePathCompressEachBackupOnce() throws {
        let text = String(repeating: "the same again ", count: 400_000)
        try folder.write(text + "\n", to: "wp-20250615T150000.000Z.log")
        let problems = ProblemBox()
        let sinks = try (0..<4).map { _ in try open(LogRotation(maxBytes: 100_000_000)) }
        for sink in sinks { sink.onProblem { problems.append($0) } }
        for sink in sinks { sink.waitForBackups() }
        #expect(problems.all == [])
        #expect(folder.names == ["wp-20250615T150000.000Z.log.gz", "wp.log"])
        let packed = try folder.bytes(of: "wp-20250615T150000.000Z.log.gz")
        #expect(try Gzip.decompress(packed, limit: 1 << 23) == line(text))
    }

    @Test func compressesBackupsLeftByAnEarlierProcess() throws {
        try folder.write("old\n", to: "wp-20250615T150000.000Z.log")
        try folder.write("half", to: "wp-20250615T150000.000Z.log.gz.part")
        try folder.write("both\n", to: "wp-20250615T150100.000Z.log")
        try folder.write("placeholder", to: "wp-20250615T150100.000Z.log.gz")
        try folder.write("1234", to: "wp.log")
        let others = ["wp-20250615T150000.000Z.txt", "wp-20259915T150000.000Z.log", "wp-old.log", "wp-.log.gz", "x"]
        for name in others { try folder.write("not ours", to: name) }

        let sink = try open(LogRotation(maxBytes: 8))
        sink.waitForBackups()
        #expect(
            Set(folder.names).subtracting(others) == [
                "wp-20250615T150000.000Z.log.gz", "wp-20250615T150100.000Z.log.gz", "wp.log",
            ]
        )
        #expect(
            try Gzip.decompress(folder.bytes(of: "wp-20250615T150000.000Z.log.gz"), limit: 100) == line("old")
        )
        #expect(try folder.text(of: "wp-20250615T150100.000Z.log.gz") == "placeholder")

        // The existing content counts.
        try sink.write(line("567"))
        #expect(try folder.text(of: "wp.log") == "1234567\n")
        try sink.write(line("8"))
        #expect(try folder.text(of: "wp.log") == "8\n")
        sink.waitForBackups()
        #expect(others.allSatisfy { folder.names.contains($0) })
    }

    @Test func keepsItsAgeAcrossARestart() throws {
        try folder.write("backup\n", to: "wp-20250615T140000.000Z.log")
        try folder.write("old\n", to: "wp.log")
        let sink = try open(only(age: .seconds(3600)))
        try sink.write(line("new"))
        #expect(try folder.text(of: "wp.log") == "new\n")
    }

    @Test func namesStaySortedAfterAClockStepBackwards() throws {
        let sink = try open(only(bytes: 2))
        try sink.write(line("1"))
        try sink.write(line("2"))
        clock.stepWall(by: -86_400)
        try sink.write(line("3"))
        try sink.write(line("4"))
        #expect(try folder.names.map { try folder.text(of: $0) } == ["1\n", "2\n", "3\n", "4\n"])
    }

    @Test func neverOverwritesAFile() throws {
        try folder.write("theirs", to: "wp-20250615T150640.001Z.log.gz")
        try folder.write("theirs", to: "wp-20250615T150640.002Z.log")
        let sink = try open(only(bytes: 2))
        try sink.write(line("1"))
        try sink.write(line("2"))
        #expect(try folder.text(of: "wp-20250615T150640.003Z.log") == "1\n")
    }

    @Test func continuesWithoutAFreeBackupName() throws {
        try folder.write("theirs", to: "wp-99991231T235959.999Z.log")
        let sink = try open(only(bytes: 2))
        let reported = ProblemBox()
        sink.onProblem { reported.append($0) }
        for text in ["1", "2", "3"] { try sink.write(line(text)) }
        sink.waitForBackups()
        #expect(reported.all.map(\.code) == [.rotate])
        #expect(try folder.text(of: "wp.log") == "1\n2\n3\n")
        #expect(try folder.text(of: "wp-99991231T235959.999Z.log") == "theirs")
    }

    @Test func acceptsAFileOfAnyAge() throws {
        for seconds in [Int.min, -1, 0, 1 << 40, .max] {
            try folder.write("old\n", to: "wp.log")
            let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
            // The file system rejects or adjusts times out of range.
            _ = utimensat(AT_FDCWD, folder.file("wp.log"), times, 0)
            let sink = try open(only(age: .seconds(3600)))
            try sink.write(line("new"))
            #expect(try folder.text(of: "wp.log").hasSuffix("new\n"))
        }
    }

    @Test func losesNoLinesOfConcurrentWriters() async throws {
        let sink = try open(LogRotation(maxBytes: 3000, maxAge: .zero, maxBackups: 0, compresses: true))
        let count = 2000
        await withTaskGroup(of: Bool.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    (0..<count).allSatisfy { number in
                        (try? sink.write([UInt8]("\(writer) \(number)\n".utf8))) != nil
                    }
                }
            }
            for await isWhole in group { #expect(isWhole) }
        }
        sink.waitForBackups()
        var lines: [String] = []
        for name in folder.names {
            let bytes = try folder.bytes(of: name)
            let text = name.hasSuffix(".gz") ? try Gzip.decompress(bytes, limit: 3000) : bytes
            #expect(text.count <= 3000)
            lines += String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        #expect(folder.names.count > 10)
        #expect(lines.count == 4 * count)
        #expect(Set(lines) == Set((0..<4).flatMap { writer in (0..<count).map { "\(writer) \($0)" } }))
        // Backups sort by age, so each writer's numbers ascend.
        let first = lines.filter { $0.hasPrefix("0 ") }.compactMap { Int($0.dropFirst(2)) }
        #expect(first == Array(0..<count))
    }

    @Test func reopensAfterARename() throws {
        let sink = try open(only(bytes: 100))
        try sink.write(line("one"))
        #expect(rename(folder.file("wp.log"), folder.file("wp.log.1")) == 0)
        try sink.write(line("two"))
        try sink.reopen()
        try sink.write(line("three"))
        #expect(try folder.text(of: "wp.log.1") == "one\ntwo\n")
        #expect(try folder.text(of: "wp.log") == "three\n")
    }

    /// The sink notices the rename without a signal, whatever its limits.
    @Test func detectsARenameWithinASecond() throws {
        let sink = try open(only())
        try sink.write(line("one"))
        #expect(rename(folder.file("wp.log"), folder.file("wp.log.1")) == 0)
        try sink.write(line("two"))
        clock.advance(by: .milliseconds(999))
        try sink.write(line("three"))
        clock.advance(by: .milliseconds(1))
        try sink.write(line("four"))
        #expect(try folder.text(of: "wp.log.1") == "one\ntwo\nthree\n")
        #expect(try folder.text(of: "wp.log") == "four\n")
        #expect(unlink(folder.file("wp.log")) == 0)
        clock.advance(by: .seconds(1))
        try sink.write(line("five"))
        #expect(try folder.text(of: "wp.log") == "five\n")
    }

    @Test func reportsAMissingPathOncePerMinute() throws {
        let sink = try open(only(), "sub/wp.log")
        let reported = ProblemBox()
        sink.onProblem { reported.append($0) }
        sink.waitForBackups()
        #expect(rename(folder.file("sub"), folder.file("moved")) == 0)
        try folder.write("a file where the folder was", to: "sub")
        for _ in 0..<119 {
            clock.advance(by: .seconds(1))
            try sink.write(line("x"))
        }
        sink.waitForBackups()
        #expect(reported.all.map(\.code) == [.open, .open])
        #expect(try folder.text(of: "moved/wp.log").split(separator: "\n").count == 119)
        // After a clock step backwards it checks immediately, not in an hour.
        #expect(unlink(folder.file("sub")) == 0)
        clock.stepWall(by: -3600)
        try sink.write(line("back"))
        #expect(try folder.text(of: "sub/wp.log") == "back\n")
    }

    @Test func keepsItsAgeWhenReopeningTheSameFile() throws {
        let sink = try open(only(age: .seconds(3600)))
        try sink.write(line("one"))
        clock.advance(by: .seconds(3000))
        try sink.reopen()
        clock.advance(by: .seconds(700))
        try sink.write(line("two"))
        #expect(try folder.text(of: "wp.log") == "two\n")
    }

    @Test func keepsTheOldFileWhenReopeningFails() throws {
        let sink = try open(only(), "sub/wp.log")
        try sink.write(line("one"))
        #expect(rename(folder.file("sub"), folder.file("moved")) == 0)
        try folder.write("a file where the folder was", to: "sub")
        let error = #expect(throws: LogSinkError.self) { try sink.reopen() }
        #expect(error?.code == .open)
        try sink.write(line("two"))
        #expect(try folder.text(of: "moved/wp.log") == "one\ntwo\n")
    }

    @Test func doesNotTouchAnotherProgramsFile() throws {
        let sink = try open(only(bytes: 4))
        try sink.write(line("one"))
        #expect(rename(folder.file("wp.log"), folder.file("aside")) == 0)
        try folder.write("theirs\n", to: "wp.log")
        try sink.write(line("two"))
        #expect(folder.names == ["aside", "wp.log"])
        #expect(try folder.text(of: "wp.log") == "theirs\ntwo\n")
    }

    @Test func detectsATruncatedFile() throws {
        let sink = try open(only(bytes: 8))
        try sink.write(line("one"))
        try sink.write(line("two"))
        #expect(truncate(folder.file("wp.log"), 0) == 0)
        try sink.write(line("three"))
        #expect(folder.names == ["wp.log"])
        #expect(try folder.text(of: "wp.log") == "three\n")
    }

    @Test func theAgeOfATruncatedFileBeginsAnew() throws {
        let sink = try open(only(age: .seconds(3600)))
        try sink.write(line("one"))
        clock.advance(by: .seconds(3000))
        #expect(truncate(folder.file("wp.log"), 0) == 0)
        try sink.write(line("two"))
        clock.advance(by: .seconds(3600))
        try sink.write(line("three"))
        #expect(folder.names == ["wp.log"])
        #expect(try folder.text(of: "wp.log") == "two\nthree\n")
        clock.advance(by: .seconds(1))
        try sink.write(line("four"))
        #expect(folder.names.count == 2)
        #expect(try folder.text(of: "wp.log") == "four\n")
    }

    @Test func reportsAFailedRotationAndContinues() throws {
        let sink = try open(only(bytes: 4))
        let reported = ProblemBox()
        sink.onProblem { reported.append($0) }
        try sink.write(line("one"))
        #expect(rename(folder.file("wp.log"), folder.file("aside")) == 0)
        #expect(mkdir(folder.file("wp.log"), 0o755) == 0)
        for text in ["two", "three", "four"] { try sink.write(line(text)) }
        sink.waitForBackups()
        #expect(reported.all.map(\.code) == [.open])
        #expect(try folder.text(of: "aside") == "one\ntwo\nthree\nfour\n")

        #expect(rmdir(folder.file("wp.log")) == 0)
        clock.advance(by: .seconds(61))
        try sink.write(line("five"))
        #expect(try folder.text(of: "wp.log") == "five\n")
    }

    @Test func continuesIfTheBackupCannotBeNamed() throws {
        // With a timestamp, the name exceeds the maximum length.
        let name = String(repeating: "n", count: 240)
        let sink = try open(only(bytes: 4), name)
        for text in ["one", "two", "three"] { try sink.write(line(text)) }
        let reported = ProblemBox()
        sink.onProblem { reported.append($0) }
        sink.waitForBackups()
        #expect(reported.all.map(\.code) == [.rotate])
        #expect(try folder.text(of: name) == "one\ntwo\nthree\n")
        clock.advance(by: .seconds(61))
        try sink.write(line("four"))
        sink.waitForBackups()
        #expect(reported.all.map(\.code) == [.rotate, .rotate])
    }

    @Test func leavesNoPartialLineOnAFullDisk() throws {
        let full = FullDisk(room: 10)
        let sink = try RotatingFileSink(
            path: folder.file("wp.log"),
            rotation: LogRotation(),
            timeSource: clock,
            call: { descriptor, bytes throws(SystemCalls.Failure) in try full.write(descriptor, bytes) }
        )
        try sink.write(line("one"))
        for _ in 0..<3 {
            let error = #expect(throws: LogSinkError.self) { try sink.write(line("two and a half")) }
            #expect(error?.description.contains(folder.file("wp.log")) == true)
            #expect(error?.reason == "No space left on device")
        }
        #expect(try folder.text(of: "wp.log") == "one\n")
        full.set(room: 1000)
        try sink.write(line("three"))
        #expect(try folder.text(of: "wp.log") == "one\nthree\n")
    }

    #if os(Linux)
    @Test func writesToADeviceWithoutRotatingIt() throws {
        let sink = try RotatingFileSink(path: "/dev/full", rotation: only(bytes: 1))
        let error = #expect(throws: LogSinkError.self) { try sink.write(line("one")) }
        #expect(error?.code == .write)
        let null = try RotatingFileSink(path: "/dev/null", rotation: only(bytes: 1))
        for text in ["one", "two"] { try null.write(line(text)) }
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    }
    #endif

    @Test func rejectsAPipeWithoutAReader() throws {
        #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
        let error = #expect(throws: LogSinkError.self) { try open(LogRotation(), "fifo") }
        #expect(error?.code == .open)
    }

    @Test(arguments: ["wp", ".wp", "a.b.log", "w p.log"])
    func namesBackupsOfAnyFile(_ name: String) throws {
        let sink = try open(LogRotation(maxBytes: 2), name)
        try sink.write(line("1"))
        try sink.write(line("2"))
        sink.waitForBackups()
        let expected = [
            "wp": "wp-20250615T150640.000Z.gz", ".wp": ".wp-20250615T150640.000Z.gz",
            "a.b.log": "a.b-20250615T150640.000Z.log.gz", "w p.log": "w p-20250615T150640.000Z.log.gz",
        ]
        #expect(Set(folder.names) == [name, expected[name]])
    }
}
