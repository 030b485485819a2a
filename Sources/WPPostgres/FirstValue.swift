// SPDX-License-Identifier: MIT

import Synchronization

/// The first of several results, which one task awaits.
final class FirstValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    /// Sets the value, unless there is one.
    /// - Returns: whether it is the first.
    @discardableResult
    func set(_ value: Value) -> Bool {
        let (isFirst, waiting) = state.withLock { state in
            guard state.value == nil else { return (false, CheckedContinuation<Value, Never>?.none) }
            state.value = value
            return (true, state.waiting)
        }
        waiting?.resume(returning: value)
        return isFirst
    }

    /// The value, as soon as there is one.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiting = continuation }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }

    /// Waits for the value.
    /// - Parameters:
    ///   - cancellation: the value if the task is cancelled before there is another.
    ///   - onCancel: called when the task is cancelled.
    func value(ifCancelled cancellation: Value, onCancel: @Sendable () -> Void = {}) async -> Value {
        await withTaskCancellationHandler {
            await value
        } onCancel: {
            set(cancellation)
            onCancel()
        }
    }
}
