// SPDX-License-Identifier: MIT

import Testing
import WPTerminal

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct ScreenTests {
    private func frame(_ lines: [StyledText], _ columns: Int, _ rows: Int) -> String {
        Screen.frame(lines, size: TerminalSize(columns: columns, rows: rows), withStyles: false, mark: "…")
    }

    @Test func overwritesWithoutClearing() {
        #expect(frame(["ab", ""], 10, 4) == "\u{1b}[?2026h\u{1b}[Hab\u{1b}[K\r\n\u{1b}[K\r\n\u{1b}[J\u{1b}[?2026l")
    }

    @Test func keepsTheLastCellOfAFullLine() {
        #expect(frame(["abcd"], 4, 1) == "\u{1b}[?2026h\u{1b}[Habcd\u{1b}[?2026l")
        #expect(frame(["abcde"], 4, 1) == "\u{1b}[?2026h\u{1b}[Habc…\u{1b}[?2026l")
    }

    @Test func omitsLinesBelowTheScreen() {
        #expect(frame(["a", "b", "c"], 4, 2) == "\u{1b}[?2026h\u{1b}[Ha\u{1b}[K\r\nb\u{1b}[K\u{1b}[?2026l")
    }

    @Test func closeRevertsOpen() {
        for (taken, given) in [("?1049h", "?1049l"), ("?25l", "?25h"), ("?7l", "?7h")] {
            #expect(Screen.open.contains("\u{1b}[" + taken))
            #expect(Screen.close.contains("\u{1b}[" + given))
        }
    }

    @Test func aSizeIsAtLeastOneCell() {
        #expect(TerminalSize(columns: 0, rows: -3) == TerminalSize(columns: 1, rows: 1))
    }
}

@Suite struct TerminalTests {
    @Test func aPipeIsNotATerminal() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let terminal = Terminal(descriptor: ends[1])
        #expect(!terminal.isTerminal && terminal.size == nil)
        #expect(!terminal.showsColours([:]))
        #expect(terminal.lineWidth([:]) == nil)
        #expect(terminal.lineWidth(["COLUMNS": "72"]) == 72)
        #expect(terminal.lineWidth(["COLUMNS": "0"]) == nil && terminal.lineWidth(["COLUMNS": "wide"]) == nil)
        try terminal.write("机")
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(ends[0], &bytes, bytes.count) == 3)
        #expect(Array(bytes.prefix(3)) == Array("机".utf8))
    }

    #if os(Linux)
    @Test func aPseudoTerminalHasASizeAndColours() throws {
        let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(controller >= 0)
        defer { close(controller) }
        // The C module does not export unlockpt and ptsname; these requests are TIOCSPTLCK and TIOCGPTN.
        var (lock, number): (Int32, Int32) = (0, 0)
        try #require(ioctl(controller, 0x4004_5431, &lock) == 0 && ioctl(controller, 0x8004_5430, &number) == 0)
        let device = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(device >= 0)
        defer { close(device) }
        var size = winsize(ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(device, UInt(TIOCSWINSZ), &size) == 0)
        let terminal = Terminal(descriptor: device)
        #expect(terminal.isTerminal)
        #expect(terminal.size == TerminalSize(columns: 100, rows: 30))
        #expect(terminal.lineWidth([:]) == 100 && terminal.lineWidth(["COLUMNS": "70"]) == 70)
        size = winsize()
        try #require(ioctl(device, UInt(TIOCSWINSZ), &size) == 0)
        #expect(terminal.size == TerminalSize(columns: 80, rows: 24))
        #expect(terminal.showsColours([:]) && terminal.showsColours(["NO_COLOR": ""]))
        #expect(!terminal.showsColours(["NO_COLOR": "1"]) && !terminal.showsColours(["TERM": "dumb"]))
    }
    #endif

    @Test func aFailedWriteThrows() {
        let closed = Terminal(descriptor: -1)
        #expect(throws: OutputError(number: EBADF)) { try closed.write("x") }
        #expect(throws: Never.self) { try closed.write("") }
    }

    #if os(Linux)
    @Test func reportsAFullDisk() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let error = #expect(throws: OutputError.self) { try Terminal(descriptor: full).write("x") }
        #expect(error?.isReaderGone == false)
        #expect("\(try #require(error))".contains("No space left on device"))
    }
    #endif

    @Test func reportsAClosedPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let error = #expect(throws: OutputError.self) { try Terminal(descriptor: ends[1]).write("x") }
        #expect(error?.isReaderGone == true)
    }

    @Test func waitsForAFullNonBlockingStream() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        let text = String(repeating: "x", count: 300_000)
        let writer = Task.detached {
            defer { close(writing) }
            try Terminal(descriptor: writing).write(text)
        }
        let count = await Task.detached {
            var total = 0
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = read(reading, &buffer, buffer.count), count > 0 { total += count }
            return total
        }.value
        close(reading)
        try await writer.value
        #expect(count == 300_000)
    }
}
