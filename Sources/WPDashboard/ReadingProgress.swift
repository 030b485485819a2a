// SPDX-License-Identifier: MIT

import Synchronization
package import WPModel
package import WPTerminal

/// Shows the progress of a slow reading on a terminal, in one line that is removed when it ends.
package final class ReadingProgress: DeviceSourceObserver {
    private let server: String
    private let terminal: Terminal
    private let state = Mutex(State())

    private struct State {
        var replies = 0
        var isShown = false
        var isOver = false
    }

    package init(server: String, terminal: Terminal) {
        self.server = server
        self.terminal = terminal
    }

    package func exchangeEnded(_ endpoint: SourceEndpoint, duration: Duration) {
        state.withLock { $0.replies += 1 }
    }

    package func loginEnded(_ result: LoginResult) {}

    package func tokenChanged(expiry: Duration?) {}

    package func recordsRejected(_ count: Int) {}

    /// Shows the line from the first second on, until the task is cancelled.
    package func run() async {
        guard terminal.isTerminal else { return }
        for second in 1...Int.max {
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            // Written under the lock, so that no line comes after it was taken away.
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

    /// Takes the line away.
    package func end() {
        state.withLock { state in
            if state.isShown { terminal.writeIfPossible(Screen.restartLine) }
            state.isShown = false
            state.isOver = true
        }
    }

    static func line(server: String, seconds: Int, replies: Int) -> String {
        let heard =
            switch replies {
            case 0: "no reply yet"
            case 1: "1 reply"
            default: "\(replies) replies"
            }
        return "Reading the devices of \(server): \(seconds) s, \(heard)"
    }
}
