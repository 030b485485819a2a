// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPTerminal
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A screen whose output goes to a pipe.
@Suite(.timeLimit(.minutes(1))) final class LiveScreenTests {
    private var ends: [Int32] = [0, 0]
    private let clock = TestClock()
    private let screen: LiveScreen

    init() throws {
        try #require(pipe(&ends) == 0)
        let terminal = Terminal(descriptor: ends[1])
        screen = LiveScreen(terminal: terminal, withStyles: true, glyphs: .ascii, timeSource: clock)
    }

    deinit { for end in ends { close(end) } }

    /// The output since the last call, ended by a marker so that reading never blocks.
    private func written() -> String {
        var bytes: [UInt8] = [0]
        write(ends[1], bytes, 1)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(ends[0], &buffer, buffer.count)
        bytes = Array(buffer.prefix(max(count - 1, 0)))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func opensWithTheFirstFrameAndRestoresOnce() throws {
        let size = TerminalSize(columns: 8, rows: 2)
        let frame = Screen.frame([StyledText("a", .bold)], size: size, withStyles: true, mark: "~")
        try screen.show([StyledText("a", .bold)], size: size)
        #expect(written() == Screen.open + frame)
        try screen.show([StyledText("a", .bold)], size: size)
        #expect(written() == frame)
        screen.close()
        #expect(written() == Screen.close)
        screen.close()
        #expect(written().isEmpty)
        screen.printBelow([StyledText("b", .bold), "c"])
        #expect(written() == "\u{1b}[1mb\u{1b}[0m\nc\n")
        try screen.show([StyledText("a", .bold)], size: size)
        #expect(written() == Screen.open + frame)
    }

    @Test func signalsResizeSuspendAndEnd() async {
        let (signals, signal) = AsyncStream<Int32>.makeStream()
        for number in [SIGWINCH, SIGTSTP, SIGHUP, SIGTERM] { signal.yield(number) }
        var events: [LiveScreen.Event] = []
        for await event in screen.events(signals) {
            events.append(event)
            if events.count == 4 { break }
        }
        #expect(events == [.redraw, .suspend, .end, .end])
    }

    @Test func redrawsEverySecond() async throws {
        var events = screen.events(AsyncStream { _ in }).makeAsyncIterator()
        for _ in 0..<3 {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            #expect(await events.next() == .redraw)
        }
    }

    @Test func handlesTheSignalsOfATerminal() {
        #expect(LiveScreen.signals == [SIGHUP, SIGWINCH, SIGTSTP])
    }
}
