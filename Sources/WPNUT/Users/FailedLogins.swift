// SPDX-License-Identifier: MIT

/// The recent login failures of each address, to limit password guessing.
struct FailedLogins: Sendable {
    /// The maximum number of failures within ``window``.
    static let limit = 10
    static let window: Duration = .seconds(60)
    /// The maximum number of tracked addresses; the one with the oldest window is evicted.
    static let maxAddresses = 1024

    private var windows: [String: (start: Duration, count: Int)] = [:]

    /// Whether an address may attempt a login.
    func allows(_ address: String, at now: Duration) -> Bool {
        guard let window = windows[address], now - window.start < Self.window else { return true }
        return window.count < Self.limit
    }

    /// Records a failed attempt.
    mutating func add(_ address: String, at now: Duration) {
        var window = windows[address] ?? (now, 0)
        if now - window.start >= Self.window { window = (now, 0) }
        window.count += 1
        if windows[address] == nil, windows.count >= Self.maxAddresses {
            let oldest = windows.min { $0.value.start < $1.value.start }
            if let oldest { windows[oldest.key] = nil }
        }
        windows[address] = window
    }
}
