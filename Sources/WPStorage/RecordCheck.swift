// SPDX-License-Identifier: MIT

import WPModel

/// Validates records before every save.
enum RecordCheck {
    /// - Throws: ``EnergyStoreError`` that names the first invalid record.
    static func check(_ records: [EnergyRecord]) throws(EnergyStoreError) {
        var seen = Set<EnergyKey>(minimumCapacity: records.count)
        for record in records {
            if let defect = record.defect { throw rejection(of: record.key, because: defect) }
            guard seen.insert(record.key).inserted else {
                throw rejection(of: record.key, because: "its key occurs twice")
            }
        }
    }

    private static func rejection(of key: EnergyKey, because defect: String) -> EnergyStoreError {
        EnergyStoreError(
            code: .io,
            message: "The energy record of device \"\(key.device)\" was not saved, nor any other, because \(defect).",
            hint: .reportFault
        )
    }
}
