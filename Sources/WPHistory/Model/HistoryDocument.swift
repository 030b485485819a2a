// SPDX-License-Identifier: MIT

import Synchronization

/// What a subject reported, as JSON that is made when somebody first wants it: most reports are replaced before.
package final class HistoryDocument: Sendable {
    private enum State: Sendable {
        case made([UInt8])
        case pending(@Sendable () -> [UInt8])
    }

    private let state: Mutex<State>

    /// A document that is there.
    package init(_ bytes: [UInt8] = []) {
        state = Mutex(.made(bytes))
    }

    /// A document that is made by a function, at most once.
    package init(_ make: @escaping @Sendable () -> [UInt8]) {
        state = Mutex(.pending(make))
    }

    /// The JSON; empty for none.
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
