// SPDX-License-Identifier: MIT

import WPModel

/// A store whose records of a cycle survive a crash of the machine.
protocol Contender: Sendable {
    /// The name in the report's table.
    static var name: String { get }
    /// Saves the complete state durably.
    func save(_ records: [EnergyRecord]) async throws
    /// The energy of each device in joules, loaded as by a new process.
    func joules() async throws -> [String: Double]
}

/// A contender failed.
struct Failure: Error, CustomStringConvertible {
    var description: String
}
