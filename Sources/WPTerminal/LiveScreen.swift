// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A full-screen view that is redrawn repeatedly and restores the terminal when it closes.
package final class LiveScreen: Sendable {
    /// An event while the screen is shown.
    package enum Event: Sendable, Equatable {
        /// Redraw: a second has passed, or the window was resized.
        case redraw
        /// The user suspends the program.
        case suspend
        /// A key or a signal ends the program.
        case end
    }

    /// The signals that the screen handles, besides those that end a program.
    package static let signals = [SIGHUP, SIGWINCH, SIGTSTP]

    private let terminal: Terminal
    private let withStyles: Bool
    private let glyphs: Glyphs
    private let timeSource: any TimeSource
    private let keys = TerminalKeys()
    private let isOpen = Mutex(false)

    /// Creates a screen that is not open yet.
    /// - Parameter timeSource: the clock of redraws.
    package init(terminal: Terminal, withStyles: Bool, glyphs: Glyphs, timeSource: any TimeSource) {
        self.terminal = terminal
        self.withStyles = withStyles
        self.glyphs = glyphs
        self.timeSource = timeSource
    }

    /// Whether a key can end the program, and not only a signal.
    package var endsByKey: Bool { keys != nil }

    /// Its current size.
    package var size: TerminalSize { terminal.size ?? TerminalSize(columns: 80, rows: 24) }

    /// The events: keys, signals, and a redraw every second.
    /// - Parameter signals: ``signals`` and those that end the program. Subscribe before showing anything, so that
    ///   every signal restores the terminal.
    package func events(_ signals: AsyncStream<Int32>) -> AsyncStream<Event> {
        AsyncStream { continuation in
            let keys = keys
            let tasks = [
                Task {
                    for await signal in signals { continuation.yield(Self.event(signal)) }
                },
                Task { [timeSource] in
                    while await timeSource.hasSlept(for: .seconds(1)) { continuation.yield(.redraw) }
                },
                Task {
                    guard let keys else { return }
                    for await byte in keys.bytes { if let event = Self.event(key: byte) { continuation.yield(event) } }
                },
            ]
            continuation.onTermination = { @Sendable _ in
                for task in tasks { task.cancel() }
            }
        }
    }

    /// Draws lines; opens the screen first if it is closed.
    /// - Parameter lines: from the top; lines that do not fit are omitted or truncated.
    /// - Throws: ``OutputError`` if the terminal was closed.
    package func show(_ lines: [StyledText], size: TerminalSize) throws(OutputError) {
        let frame = Screen.frame(lines, size: size, withStyles: withStyles, mark: glyphs.cut)
        let opening = isOpen.withLock { isOpen in
            defer { isOpen = true }
            return isOpen ? "" : Screen.open
        }
        if !opening.isEmpty { keys?.disableEcho() }
        try terminal.write(opening + frame)
    }

    /// Restores the terminal. ``show(_:size:)`` opens the screen again.
    package func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        terminal.writeIfPossible(Screen.close)
        keys?.restore()
    }

    /// Restores the terminal, stops the program, and returns when it is continued.
    package func suspend() {
        close()
        // Signals this thread, which stops here; a signal to the process might arrive after the next draw.
        raise(SIGSTOP)
    }

    /// Writes lines below the content of the terminal. Call it after ``close()``.
    package func printBelow(_ lines: [StyledText]) {
        terminal.writeIfPossible(lines.map { $0.rendered(withStyles: withStyles) + "\n" }.joined())
    }

    private static func event(_ signal: Int32) -> Event {
        switch signal {
        case SIGWINCH: .redraw
        case SIGTSTP: .suspend
        default: .end
        }
    }

    /// q and Q quit; Ctrl-L redraws.
    private static func event(key: UInt8) -> Event? {
        switch key {
        case UInt8(ascii: "q"), UInt8(ascii: "Q"): .end
        case 0x0C: .redraw
        default: nil
        }
    }
}
