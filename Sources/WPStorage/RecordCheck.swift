// SPDX-License-Identifier: MIT

import WPModel

/// Keeps out what could not be read back: the same gate before every store.
enum RecordCheck {
    /// - Throws: ``EnergyStoreError`` that names the first record that can't be saved.
    static func check(_ records: [EnergyRecord]) throws(EnergyStoreError) {
        var seen = Set<EnergyKey>(minimumCapacity: records.count)
        for record in records {
            if let defect = record.defect { throw refusal(of: record.key, because: defect) }
            guard seen.insert(record.key).inserted else {
                throw refusal(of: record.key, because: "its key occurs twice")
            }
        }
    }

    private static func refusal(of key: EnergyKey, because defect: String) -> EnergyStoreError {
        EnergyStoreError(
            code: .io,
            message: "The energy record of device \"\(key.device)\" was not saved, nor any other, because \(defect).",
            hint: .reportFault
        )
    }
}
