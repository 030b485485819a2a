// SPDX-License-Identifier: MIT

/// One of the sessions that a pool may have, taken for as long as anything of it is left: also a look-up of a name that
/// goes on after everybody has given up on it.
final class PostgresPlace: Sendable {
    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: called once, when nothing refers to the place any more.
    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit { onEnd() }
}
