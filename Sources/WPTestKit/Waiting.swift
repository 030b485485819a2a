// SPDX-License-Identifier: MIT

/// Waits until a condition holds: `#expect(await eventually { sender.isIdle })`.
///
/// The condition is evaluated about once per millisecond, and at least once.
/// - Parameters:
///   - limit: how long to wait, on a monotonic clock.
///   - isolation: the caller's actor.
///   - condition: the condition.
/// - Returns: whether the condition held before the limit passed or the task was cancelled.
/// - Throws: the condition's error.
public func eventually(
    within limit: Duration = .seconds(60),
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
}

/// Suspends until the task is cancelled, like a component that runs as long as its program.
/// - Throws: `CancellationError`.
package func suspendUntilCancelled() async throws {
    while true { try await Task.sleep(for: .seconds(86_400)) }
}
