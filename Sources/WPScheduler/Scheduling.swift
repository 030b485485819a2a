// SPDX-License-Identifier: MIT

/// Runs work again and again until it is cancelled.
public protocol Scheduling: Sendable {
    /// Runs the work, one run after the other, and returns only when the surrounding task has been cancelled and the
    /// run in flight has ended.
    func run(_ work: @escaping @Sendable () async -> Void) async
}
