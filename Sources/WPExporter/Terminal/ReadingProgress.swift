// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
package import WPModel
package import WPTerminal

/// Shows the progress of a slow reading on one terminal line, which is cleared at the end.
package final class ReadingProgress: DeviceSourceObserver {
    private let server: String
    private let terminal: Terminal
    private let timeSource: any TimeSource
    private let state = Mutex(State())

    private struct State {
        var replies = 0
        var isShown = false
        var isOver = false
    }

    package init(server: String, terminal: Terminal, timeSource: any TimeSource) {
        self.server = server
        self.terminal = terminal
        self.timeSource = timeSource
    }

    package func exchangeEnded(_ endpoint: SourceEndpoint, duration: Duration) {
        state.withLock { $0.replies += 1 }
    }

    package func loginEnded(_ result: LoginResult) {}

    package func tokenChanged(expiry: Duration?) {}

    package func recordsRejected(_ count: Int) {}

    /// Shows the line after one second, until the task is cancelled.
    package func run() async {
        guard terminal.isTerminal else { return }
        for second in 1...Int.max {
            guard await timeSource.hasSlept(for: .seconds(1)) else { return }
            // Written under the lock, so that nothing is written after the line has been cleared.
            state.withLock { state in
                guard !state.isOver else { return }
                let text = StyledText(
                    Self.line(server: server, seconds: second, replies: state.replies)
                ).cut(to: (terminal.size?.columns ?? 80) - 1, mark: "~").text
                terminal.writeIfPossible(Screen.restartLine + text)
                state.isShown = true
            }
        }
    }

    /// Clears the line.
    package func end() {
        state.withLock { state in
            if state.isShown { terminal.writeIfPossible(Screen.restartLine) }
            state.isShown = false
            state.isOver = true
        }
    }

    static func line(server: String, seconds: Int, replies: Int) -> String {
        let progress =
            switch replies {
            case 0: "no reply yet"
            case 1: "1 reply"
            default: "\(replies) replies"
            }
        return "Reading the devices of \(server): \(seconds) s, \(progress)"
    }
}
