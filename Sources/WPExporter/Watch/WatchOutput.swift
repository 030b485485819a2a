// SPDX-License-Identifier: MIT

package import WPCore
import WPModel
import WPService
package import WPTerminal

/// The output of a watch.
package protocol WatchOutput: Sendable {
    /// Keys, signals and redraws; ``WatchStream`` has only signals.
    var events: AsyncStream<LiveScreen.Event> { get }

    /// Shows a state.
    /// - Parameter isNew: whether a reading has completed since the last call; otherwise the last one is shown again.
    /// - Throws: if it cannot be shown.
    func show(_ state: WatchState, isNew: Bool, at now: TimePoint) throws

    /// Restores the terminal. A later ``show(_:isNew:at:)`` sets it up again.
    func close()

    /// Restores the terminal, suspends the process, and returns when it continues.
    func suspend()

    /// Prints the last state to the restored terminal.
    func leave(_ state: WatchState, at now: TimePoint)
}

/// Stream output: one block of text per reading.
package struct WatchStream: WatchOutput {
    let asJSON: Bool
    let write: @Sendable (String) throws -> Void

    package init(asJSON: Bool, write: @escaping @Sendable (String) throws -> Void) {
        self.asJSON = asJSON
        self.write = write
    }

    package var events: AsyncStream<LiveScreen.Event> {
        AsyncStream { continuation in
            // Installed before any output, so that no signal arrives too early.
            let signals = Signals.stream(of: Signals.ending)
            let task = Task {
                for await _ in signals { continuation.yield(.end) }
            }
            continuation.onTermination = { @Sendable _ in task.cancel() }
        }
    }

    package func show(_ state: WatchState, isNew: Bool, at now: TimePoint) throws {
        guard isNew else { return }
        if asJSON {
            try write(String(decoding: try JSONDocument.bytes(state.document(at: now)), as: UTF8.self))
        } else {
            try write(WatchLines(state, at: now).lines.map { $0 + "\n" }.joined())
        }
    }

    package func close() {}

    package func suspend() {}

    package func leave(_ state: WatchState, at now: TimePoint) {}
}
