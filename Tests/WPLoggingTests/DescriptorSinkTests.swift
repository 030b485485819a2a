// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import WPLogging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct DescriptorSinkTests {
    /// A pipe, closed on deinit.
    private final class Pipe {
        let reader: Int32
        let writer: Int32
        private var isReaderOpen = true

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            reader = ends[0]
            writer = ends[1]
        }

        deinit {
            closeReader()
            close(writer)
        }

        func closeReader() {
            if isReaderOpen { close(reader) }
            isReaderOpen = false
        }

        func read(_ count: Int) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let length = try bytes.withUnsafeMutableBytes { try SystemCalls.read(reader, $0) }
            return Array(bytes.prefix(length))
        }
    }

    private func line(_ text: String) -> [UInt8] { [UInt8]("\(text)\n".utf8) }

    @Test func writesLines() throws {
        let pipe = try Pipe()
        let sink = DescriptorSink(descriptor: pipe.writer, name: "pipe")
        try sink.write(line("one"))
        try sink.write(line("two"))
        sink.flush()
        try sink.reopen()
        #expect(try pipe.read(100) == line("one") + line("two"))
    }

    @Test func survivesAClosedPipe() throws {
        let pipe = try Pipe()
        let sink = DescriptorSink(descriptor: pipe.writer, name: "the pipe")
        pipe.closeReader()
        for _ in 0..<3 {
            let error = #expect(throws: LogSinkError.self) { try sink.write(line("one")) }
            #expect(error?.description == "cannot write log records to the pipe: Broken pipe")
        }
        // The signal is neither pending nor blocked.
        var set = sigset_t()
        sigpending(&set)
        #expect(sigismember(&set, SIGPIPE) == 0)
        pthread_sigmask(SIG_BLOCK, nil, &set)
        #expect(sigismember(&set, SIGPIPE) == 0)
    }

    @Test func dropsLinesWhileTheReaderIsStalled() throws {
        let pipe = try Pipe()
        let sink = DescriptorSink(descriptor: pipe.writer, name: "the pipe")
        let long = line(String(repeating: "x", count: 1000))
        var written = 0
        var error: LogSinkError?
        while error == nil, written < 10_000 {
            do throws(LogSinkError) {
                try sink.write(long)
                written += 1
            } catch let failure {
                error = failure
            }
        }
        #expect(error?.code == .write)
        #expect(written > 0 && written < 10_000)
        let begun = ContinuousClock.now
        for _ in 0..<1000 {
            #expect(throws: LogSinkError.self) { try sink.write(long) }
        }
        // Each write would take 100 ms if the sink waited every time.
        #expect(begun.duration(to: .now) < .seconds(20))

        var rest = written * long.count
        while rest > 0 { rest -= try pipe.read(min(rest, 65_536)).count }
        try sink.write(line("back"))
        #expect(try pipe.read(100) == line("back"))
    }

    @Test func startsANewLineAfterAPartialOne() throws {
        let pipe = try Pipe()
        // Accepts three bytes, then is full once.
        let calls = Mutex(0)
        let call: LineWriter.Call = { descriptor, bytes throws(SystemCalls.Failure) in
            let number = calls.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1: return try SystemCalls.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes.prefix(3)))
            case 2: throw SystemCalls.Failure(errno: ENOSPC)
            default: return try SystemCalls.write(descriptor, bytes)
            }
        }
        var writer = LineWriter(descriptor: pipe.writer, call: call)
        #expect(throws: SystemCalls.Failure(errno: ENOSPC)) { try writer.write(line("one two"), repairs: false) }
        try writer.write(line("three"), repairs: false)
        try writer.write(line("four"), repairs: false)
        #expect(try pipe.read(100) == line("one") + line("three") + line("four"))
    }

    @Test func failsIfTheDescriptorAcceptsNothing() throws {
        let pipe = try Pipe()
        var writer = LineWriter(descriptor: pipe.writer, call: { _, _ in 0 })
        #expect(throws: SystemCalls.Failure(errno: EIO)) { try writer.write(line("one"), repairs: false) }
    }

    @Test func writesALongLineInPiecesOnlyIfAReaderCanStall() throws {
        func pieces(_ descriptor: Int32) throws -> [Int] {
            let sizes = Mutex<[Int]>([])
            var writer = LineWriter(descriptor: descriptor) { _, bytes in
                sizes.withLock { $0.append(bytes.count) }
                return bytes.count
            }
            try writer.write([UInt8](repeating: 0, count: Int(PIPE_BUF) + 1), repairs: false)
            return sizes.withLock { $0 }
        }
        let null = open("/dev/null", O_WRONLY)
        defer { close(null) }
        #expect(try pieces(null) == [Int(PIPE_BUF) + 1])
        #expect(try pieces(try Pipe().writer) == [Int(PIPE_BUF), 1])
    }

    @Test func retriesAFewTimesOnABlockedDescriptor() throws {
        let pipe = try Pipe()
        let calls = Mutex(0)
        var writer = LineWriter(descriptor: pipe.writer) { descriptor, bytes throws(SystemCalls.Failure) in
            let number = calls.withLock { count in
                count += 1
                return count
            }
            if number != 3 && number != 7 { throw SystemCalls.Failure(errno: EAGAIN) }
            return try SystemCalls.write(descriptor, bytes)
        }
        try writer.write(line("one"), repairs: false)
        #expect(throws: SystemCalls.Failure(errno: EAGAIN)) { try writer.write(line("two"), repairs: false) }
        #expect(calls.withLock { $0 } == 6)
        try writer.write(line("three"), repairs: false)
        #expect(try pipe.read(100) == line("one") + line("three"))
    }

    @Test func doesNotInterleaveLinesOfThreads() async throws {
        let pipe = try Pipe()
        let sink = DescriptorSink(descriptor: pipe.writer, name: "the pipe")
        let count = 400
        // Everything fits into the pipe, so that no concurrent reader is needed.
        await withTaskGroup(of: Int.self) { group in
            for name in ["a", "b", "c", "d"] {
                group.addTask {
                    (0..<count).reduce(0) { lost, _ in
                        (try? sink.write([UInt8]((String(repeating: name, count: 9) + "\n").utf8))) == nil
                            ? lost + 1 : lost
                    }
                }
            }
            for await lost in group { #expect(lost == 0) }
        }
        var text: [UInt8] = []
        while text.count < 4 * count * 10 { text += try pipe.read(65_536) }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 4 * count)
        #expect(lines.allSatisfy { $0.count == 9 && Set($0).count == 1 })
    }

    #if os(Linux)
    @Test func reportsAFullDevice() throws {
        let descriptor = try SystemCalls.open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let sink = DescriptorSink(descriptor: descriptor, name: "/dev/full")
        let error = #expect(throws: LogSinkError.self) { try sink.write(line("one")) }
        #expect(error?.reason == "No space left on device")
    }
    #endif
}
