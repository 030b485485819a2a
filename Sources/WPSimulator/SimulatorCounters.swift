// SPDX-License-Identifier: MIT

/// What a simulated server was asked and how it answered, counted since its start.
public struct SimulatorCounters: Sendable, Hashable {
    /// Requests, whatever for.
    public internal(set) var requests = 0
    /// Log-ins that gave a token.
    public internal(set) var logins = 0
    /// Log-ins refused for their credentials.
    public internal(set) var refusedLogins = 0
    /// Requests for devices that had no valid token.
    public internal(set) var refusedTokens = 0
    /// Pages of the device list.
    public internal(set) var pages = 0
}
