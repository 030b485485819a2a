// SPDX-License-Identifier: MIT

/// Lets a message that would repeat every few seconds through at once the first time, and then once per interval.
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
    private var held = 0

    /// Creates a gate that is open.
    /// - Parameter interval: how long the gate is closed after it has let one through. Zero or less never closes it.
    package init(interval: Duration) {
        self.interval = interval
    }

    /// Asks to pass.
    /// - Parameter now: the time since an origin that stays the same, by a monotonic clock.
    /// - Returns: how many were held back since the last one that passed, or nil if this one is held back too.
    package mutating func admit(at now: Duration) -> Int? {
        if let opens, now < opens {
            held += 1
            return nil
        }
        defer { held = 0 }
        opens = now + interval
        return held
    }

    /// Opens the gate, because what it stood for has ended or changed.
    /// - Returns: how many were held back since the last one that passed; nil if none has passed since the gate was
    ///   last opened so, which is to say that nothing had begun.
    package mutating func reset() -> Int? {
        defer {
            opens = nil
            held = 0
        }
        return opens == nil ? nil : held
    }
}
