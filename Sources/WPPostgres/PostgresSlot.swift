// SPDX-License-Identifier: MIT

/// A session slot of a pool, occupied until all resources of the session are released, including an abandoned name
/// lookup.
final class PostgresSlot: Sendable {
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: called once, when the slot is released.
    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit { onEnd() }
}
