// SPDX-License-Identifier: MIT

/// How often an address has failed to log in lately, so that nobody tries many passwords.
struct FailedLogins: Sendable {
    /// How many may fail within ``window``.
    static let limit = 10
    static let window: Duration = .seconds(60)
    /// How many addresses are remembered; beyond, the one whose window began first is forgotten.
    static let maxAddresses = 1024

    private var windows: [String: (start: Duration, count: Int)] = [:]

    /// Whether an address may try.
    func allows(_ address: String, at now: Duration) -> Bool {
        guard let window = windows[address], now - window.start < Self.window else { return true }
        return window.count < Self.limit
    }

    /// An attempt has failed.
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
