// SPDX-License-Identifier: MIT

import WPLogging
import WPModel
import WPStorage

/// The exporter's own store.
struct StoreContender: Contender {
    static let name = "FileEnergyStore"
    private let store: FileEnergyStore
    private let directory: String

    init(directory: String) async throws {
        self.directory = directory
        store = try await FileEnergyStore.open(.init(directory: directory), logger: .silent)
    }

    func save(_ records: [EnergyRecord]) async throws { try await store.save(records) }

    func joules() async throws -> [String: Double] {
        let records = try await FileEnergyStore.peek(.init(directory: directory), logger: .silent)
        return Dictionary(uniqueKeysWithValues: records.map { ($0.key.device.rawValue, $0.total.joules) })
    }
}
