// SPDX-License-Identifier: MIT

import Synchronization

/// The report of a subject, as lazily created JSON: most reports are replaced before they are used.
package final class HistoryDocument: Sendable {
    private enum State: Sendable {
        case made([UInt8])
        case pending(@Sendable () -> [UInt8])
    }

    private let state: Mutex<State>

    /// An existing document.
    package init(_ bytes: [UInt8] = []) {
        state = Mutex(.made(bytes))
    }

    /// A document whose JSON is created on first use.
    package init(_ make: @escaping @Sendable () -> [UInt8]) {
        state = Mutex(.pending(make))
    }

    /// The JSON; empty if there is none.
    package var bytes: [UInt8] {
        state.withLock { state in
            switch state {
            case .made(let bytes): return bytes
            case .pending(let make):
                let bytes = make()
                state = .made(bytes)
                return bytes
            }
        }
    }
}
