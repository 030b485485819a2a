// SPDX-License-Identifier: MIT

package import WPCore
import WPModel
import WPService
package import WPTerminal

/// Full-screen output of a watch.
package struct WatchScreen: WatchOutput {
    private let screen: LiveScreen
    private let glyphs: Glyphs

    package init(terminal: Terminal, withStyles: Bool, glyphs: Glyphs, timeSource: any TimeSource) {
        screen = LiveScreen(terminal: terminal, withStyles: withStyles, glyphs: glyphs, timeSource: timeSource)
        self.glyphs = glyphs
    }

    package var events: AsyncStream<LiveScreen.Event> {
        screen.events(Signals.stream(of: Signals.ending + LiveScreen.signals))
    }

    package func show(_ state: WatchState, isNew: Bool, at now: TimePoint) throws {
        let size = screen.size
        let view = WatchView(state, now: now, size: size, glyphs: glyphs, endsByKey: screen.endsByKey)
        try screen.show(view.lines, size: size)
    }

    package func close() { screen.close() }

    package func suspend() { screen.suspend() }

    package func leave(_ state: WatchState, at now: TimePoint) {
        let size = TerminalSize(columns: screen.size.columns, rows: state.readings.count + 20)
        var lines = WatchView(state, now: now, size: size, glyphs: glyphs).lines.dropLast()
        while lines.last?.width == 0 { lines.removeLast() }
        screen.printBelow(Array(lines))
    }
}
