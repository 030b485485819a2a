// SPDX-License-Identifier: MIT

import Synchronization

/// Shares one running operation among all callers.
///
/// A cancelled caller stops waiting immediately; if no caller is left, the operation is cancelled. A new caller then
/// waits until it has ended and starts another, so that two never run concurrently.
final class SingleFlight<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value?, any Error>

    private struct State {
        var flight: Task<Void, Never>?
        var isAbandoned = false
        var waiters: [Int: Waiter] = [:]
        var cancelled: Set<Int> = []
        var nextID = 0
    }

    private let state = Mutex(State())

    /// The number of waiting callers.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Joins the running operation, or starts one.
    /// - Throws: the operation's error; `CancellationError` if the calling task is cancelled.
    func run(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        while true {
            if let value = try await join(operation) { return value }
        }
    }

    /// Returns nil if the operation was abandoned; it has then ended.
    private func join(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(id) { return true }
                    state.waiters[id] = waiter
                    if state.flight == nil {
                        state.flight = Task { await self.perform(operation) }
                    }
                    return false
                }
                if isCancelled { waiter.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        let (waiter, abandoned): (Waiter?, Task<Void, Never>?) = state.withLock { state in
            guard let waiter = state.waiters.removeValue(forKey: id) else {
                state.cancelled.insert(id)
                return (nil, nil)
            }
            guard state.waiters.isEmpty else { return (waiter, nil) }
            state.isAbandoned = true
            return (waiter, state.flight)
        }
        abandoned?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    private func perform(_ operation: @Sendable () async throws -> Value) async {
        let result: Result<Value, any Error>
        do { result = .success(try await operation()) } catch { result = .failure(error) }
        let (waiters, wasAbandoned) = state.withLock { state in
            let ended = (Array(state.waiters.values), state.isAbandoned)
            state.waiters = [:]
            state.flight = nil
            state.isAbandoned = false
            return ended
        }
        for waiter in waiters {
            if wasAbandoned {
                waiter.resume(returning: nil)
            } else {
                waiter.resume(with: result.map(Optional.some))
            }
        }
    }
}
