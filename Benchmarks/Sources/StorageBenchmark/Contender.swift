// SPDX-License-Identifier: MIT

import WPModel

/// A store that keeps a cycle's records across a crash of the machine.
protocol Contender: Sendable {
    /// The name in the report's table.
    static var name: String { get }
    /// Saves the complete state durably.
    func save(_ records: [EnergyRecord]) async throws
    /// The joules of each device as a new process would load them.
    func joules() async throws -> [String: Double]
}

/// A contender failed.
struct Failure: Error, CustomStringConvertible {
    var description: String
}
