// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// A gate that opens once. Tasks and threads can wait for it, so that tests need not sleep.
final class ClientLatch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// Releases all current and later waiters.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
        semaphore.signal()
    }

    /// Waits asynchronously.
    func opened() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Blocks for at most 20 seconds.
    func waitInThread() {
        guard semaphore.wait(timeout: .now() + .seconds(20)) == .success else { return }
        semaphore.signal()
    }
}
