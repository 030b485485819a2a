// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A whole terminal, drawn over again and again, and given back as it was.
package final class LiveScreen: Sendable {
    /// What happens beside what is shown.
    package enum Event: Sendable, Equatable {
        /// What is shown may look different now: time went on, or the window changed.
        case redraw
        /// The user stopped the program, and let it go on later.
        case suspend
        /// Somebody asks it to end.
        case end
    }

    /// The signals that it needs besides those that end a program.
    package static let signals = [SIGHUP, SIGWINCH, SIGTSTP]

    private let terminal: Terminal
    private let withStyles: Bool
    private let glyphs: Glyphs
    private let keys = TerminalKeys()
    private let isOpen = Mutex(false)

    /// Creates a screen that is not open yet.
    package init(terminal: Terminal, withStyles: Bool, glyphs: Glyphs) {
        self.terminal = terminal
        self.withStyles = withStyles
        self.glyphs = glyphs
    }

    /// Whether a key ends it, and not only a signal.
    package var endsByKey: Bool { keys != nil }

    /// Its size now.
    package var size: TerminalSize { terminal.size ?? TerminalSize(columns: 80, rows: 24) }

    /// What happens: keys, signals, and a redraw per second.
    /// - Parameter signals: those of ``signals`` and those that end the program; taken before anything is shown, so that
    ///   no signal leaves the terminal as it should not be.
    package func events(_ signals: AsyncStream<Int32>) -> AsyncStream<Event> {
        AsyncStream { continuation in
            let keys = keys
            let tasks = [
                Task {
                    for await signal in signals { continuation.yield(Self.event(signal)) }
                },
                Task {
                    while (try? await Task.sleep(for: .seconds(1))) != nil { continuation.yield(.redraw) }
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

    /// Draws lines, and opens the screen before that unless it is open.
    /// - Parameter lines: from the top; what does not fit is left out or cut.
    /// - Throws: when the terminal is gone.
    package func show(_ lines: [StyledText], size: TerminalSize) throws(OutputError) {
        let frame = Screen.frame(lines, size: size, withStyles: withStyles, mark: glyphs.cut)
        let opening = isOpen.withLock { isOpen in
            defer { isOpen = true }
            return isOpen ? "" : Screen.open
        }
        if !opening.isEmpty { keys?.take() }
        try terminal.write(opening + frame)
    }

    /// Gives the terminal back as it was. What is shown later takes it again.
    package func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        terminal.writeIfPossible(Screen.close)
        keys?.giveBack()
    }

    /// Gives the terminal back, stops the program as its user asked, and returns when it is let go on.
    package func suspend() {
        close()
        // To this thread, which stops right here; a signal to the process may stop it when it has drawn again.
        raise(SIGSTOP)
    }

    /// Writes lines below what the terminal shows, once the screen is closed.
    package func leave(_ lines: [StyledText]) {
        terminal.writeIfPossible(lines.map { $0.rendered(withStyles: withStyles) + "\n" }.joined())
    }

    private static func event(_ signal: Int32) -> Event {
        switch signal {
        case SIGWINCH: .redraw
        case SIGTSTP: .suspend
        default: .end
        }
    }

    /// q and Q end it; Ctrl-L draws it anew, for when somebody else wrote on the screen.
    private static func event(key: UInt8) -> Event? {
        switch key {
        case UInt8(ascii: "q"), UInt8(ascii: "Q"): .end
        case 0x0C: .redraw
        default: nil
        }
    }
}
