// SPDX-License-Identifier: MIT

/// Rate-limits a repeated message: admits the first one immediately, then one per interval.
///
/// ```swift
/// var gate = RepeatGate(interval: .seconds(300))
/// if let repeats = gate.admit(at: elapsed) {
///     logger.warn("The upstream does not answer", ["repeats": .int(repeats)])
/// }
/// ```
package struct RepeatGate: Sendable, Hashable {
    private let interval: Duration
    private var opens: Duration?
    private var suppressed = 0

    /// Creates an open gate.
    /// - Parameter interval: how long the gate stays closed after it admits a message. Zero or less never closes it.
    package init(interval: Duration) {
        self.interval = interval
    }

    /// Asks whether to log a message.
    /// - Parameter now: the time since a fixed origin, on a monotonic clock.
    /// - Returns: the number of messages suppressed since the last admitted one; nil if this one is suppressed.
    package mutating func admit(at now: Duration) -> Int? {
        if let opens, now < opens {
            suppressed += 1
            return nil
        }
        defer { suppressed = 0 }
        opens = now + interval
        return suppressed
    }

    /// Reopens the gate when the condition has ended or changed.
    /// - Returns: the number of messages suppressed since the last admitted one; nil if none was admitted since the
    ///   last reset.
    package mutating func reset() -> Int? {
        defer {
            opens = nil
            suppressed = 0
        }
        return opens == nil ? nil : suppressed
    }
}
