// SPDX-License-Identifier: MIT

import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Creates records for tests.
enum Records {
    /// A state with a serial number, which ``serial(of:)`` returns.
    static func state(_ serial: Int, devices: Int = 3) -> [EnergyRecord] {
        let wall = Date(timeIntervalSince1970: 1_750_000_000.25)
        return (0..<devices).map { (index: Int) -> EnergyRecord in
            let total = EnergyTotal(
                joules: Double(serial) + Double(index) / Double(devices),
                meteredSeconds: Double(serial) * 5,
                gapSeconds: Double(index)
            )
            var record = EnergyRecord(key: EnergyKey(device: DeviceID("ups-\(index)")), total: total)
            record.compensationJoules = index == 1 ? 1e-18 : 0
            if index == 0 {
                record.total.unverifiedSeconds = 0.5
                record.name = "Rack \(serial)"
                record.typeCode = 1
            }
            if index != 2 { record.lastSample = .init(wall: wall, watts: index == 0 ? 195.5 : nil) }
            return record
        }
    }

    /// The serial number of a state; nil if it is mixed.
    static func serial(of records: [EnergyRecord]) -> Int? {
        guard let first = records.first, let serial = Int(exactly: first.total.joules.rounded(.down)) else {
            return nil
        }
        return records == state(serial, devices: records.count) ? serial : nil
    }
}
