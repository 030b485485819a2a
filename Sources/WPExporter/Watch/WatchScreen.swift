// SPDX-License-Identifier: MIT

import Synchronization
package import WPDashboard
package import WPModel
import WPService
package import WPTerminal

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A whole terminal, drawn over again and again, and given back as it was.
package final class WatchScreen: WatchOutput {
    private let terminal: Terminal
    private let withStyles: Bool
    private let glyphs: Glyphs
    private let keys = TerminalKeys()
    private let isOpen = Mutex(false)

    package init(terminal: Terminal, withStyles: Bool, glyphs: Glyphs) {
        self.terminal = terminal
        self.withStyles = withStyles
        self.glyphs = glyphs
    }

    package var events: AsyncStream<WatchEvent> {
        AsyncStream { continuation in
            let keys = keys
            // Taken before anything is shown, so that no signal leaves the terminal as it should not be.
            let signals = Signals.stream(of: Signals.ending + [SIGHUP, SIGWINCH, SIGTSTP])
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

    package func show(_ state: WatchState, isNew: Bool, at now: TimePoint) -> Bool {
        let size = terminal.size ?? TerminalSize(columns: 80, rows: 24)
        let lines = WatchView(state, now: now, size: size, glyphs: glyphs, endsByKey: keys != nil).lines
        let frame = Screen.frame(lines, size: size, withStyles: withStyles, mark: glyphs.cut)
        let opening = isOpen.withLock { isOpen in
            defer { isOpen = true }
            return isOpen ? "" : Screen.open
        }
        if !opening.isEmpty { keys?.take() }
        return terminal.write(opening + frame)
    }

    package func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        terminal.write(Screen.close)
        keys?.giveBack()
    }

    package func leave(_ state: WatchState, at now: TimePoint) {
        let columns = terminal.size?.columns ?? 80
        let size = TerminalSize(columns: columns, rows: state.readings.count + 20)
        var lines = WatchView(state, now: now, size: size, glyphs: glyphs).lines.dropLast()
        while lines.last?.width == 0 { lines.removeLast() }
        terminal.write(lines.map { $0.rendered(withStyles: withStyles) + "\n" }.joined())
    }

    private static func event(_ signal: Int32) -> WatchEvent {
        switch signal {
        case SIGWINCH: .redraw
        case SIGTSTP: .suspend
        default: .end
        }
    }

    /// q and Q end it; Ctrl-L draws it anew, for when somebody else wrote on the screen.
    private static func event(key: UInt8) -> WatchEvent? {
        switch key {
        case UInt8(ascii: "q"), UInt8(ascii: "Q"): .end
        case 0x0C: .redraw
        default: nil
        }
    }
}
