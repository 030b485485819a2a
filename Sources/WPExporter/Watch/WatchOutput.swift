// SPDX-License-Identifier: MIT

package import WPDashboard
package import WPModel
import WPService
import WPTerminal

/// Where a watch shows what it knows.
package protocol WatchOutput: Sendable {
    /// Events other than readings, such as a key or a resized window. A stream has none.
    var events: AsyncStream<WatchEvent> { get }

    /// Shows a state: a reading that has ended, or the same one a little later.
    /// - Throws: when it cannot be shown.
    func show(_ state: WatchState, isNew: Bool, at now: TimePoint) throws

    /// Gives everything back as it was. What is shown later takes it again.
    func close()

    /// Gives everything back, stops the program as its user asked, and returns when it is let go on.
    func suspend()

    /// Leaves behind what was shown last, once it is closed.
    func leave(_ state: WatchState, at now: TimePoint)
}

/// What a watch reacts to.
package enum WatchEvent: Sendable, Equatable {
    /// A reading has ended.
    case reading(WatchStep)
    /// What is shown may look different now: time went on, or the window changed.
    case redraw
    /// The user stopped the program, and let it go on later.
    case suspend
    /// Somebody asks it to end.
    case end
}

/// A stream: a text for each reading.
package struct WatchStream: WatchOutput {
    let asJSON: Bool
    let write: @Sendable (String) throws -> Void

    package init(asJSON: Bool, write: @escaping @Sendable (String) throws -> Void) {
        self.asJSON = asJSON
        self.write = write
    }

    package var events: AsyncStream<WatchEvent> {
        AsyncStream { continuation in
            // Taken before anything is shown, so that no signal comes too early.
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
