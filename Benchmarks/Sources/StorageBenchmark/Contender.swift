// SPDX-License-Identifier: MIT

import WPModel

/// A way to make the records of a cycle survive a crash of the computer.
protocol Contender: Sendable {
    /// The name in the table.
    static var name: String { get }
    /// Saves the whole state, so that it is on the disk when this returns.
    func save(_ records: [EnergyRecord]) async throws
    /// What it would find after a restart, by device: joules and the time of the last sample.
    func joules() async throws -> [String: Double]
}

/// A contender could not do its work.
struct Failure: Error, CustomStringConvertible {
    var description: String
}
