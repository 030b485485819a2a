// SPDX-License-Identifier: MIT

import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Faults that the checks of the contract detect, one for each of their expectations.
enum EnergyStoreFaults {
    typealias StoreFault = Fault<BrokenEnergyStore>
    private typealias Faults = KeyValuePairs<String, [@Sendable (inout BrokenEnergyStore) -> Void]>

    static let all: [StoreFault] = [contents, texts, numbers, rejections].flatMap { faults in
        faults.flatMap { check, changes in changes.map { StoreFault(check, $0) } }
    }

    private static let contents: Faults = [
        "a new store is empty": [
            {
                $0.read = {
                    $0.isEmpty
                        ? [EnergyRecord(key: EnergyKey(device: DeviceID("x")), total: EnergyTotal(joules: 1))] : $0
                }
            }
        ],
        "the records that were saved last are loaded": [
            { $0.read = { $0.dropLast() } },
            { $0.read = { $0 + $0.prefix(1) } },
            { $0.read = each { $0.total.unverifiedSeconds = 0 } },
            { $0.read = each { $0.name = nil } },
            { $0.read = each { $0.typeCode = nil } },
            { $0.save = { if try await $0.load().isEmpty { try await $0.save($1) } } },
            { $0.save = { if !$1.isEmpty { try await $0.save($1) } } },
        ],
        "a save keeps the order and replaces all records": [
            { $0.read = { $0.sorted { $0.key < $1.key } } },
            { store in
                // Keeps records that a save omits.
                store.save = { memory, records in
                    let keys = records.map(\.key)
                    try await memory.save(try await memory.load().filter { !keys.contains($0.key) } + records)
                }
            },
        ],
        "2,000 records are kept": [{ $0.read = { Array($0.prefix(1999)) } }],
    ]

    private static let texts: Faults = [
        "canonically equivalent identifiers name different devices": [
            { $0.read = each { $0.key.device = DeviceID("caf\u{E9}") } },
            { $0.isUnique = { Set($0.map(\.key.device.rawValue)).count == $0.count } },
        ],
        "any text names a device or a source": [
            { $0.read = each { $0.key.source = .only } },
            { $0.read = each { $0.key.device = DeviceID(String($0.key.device.rawValue.prefix(255))) } },
            { $0.read = each { $0.key.device = DeviceID($0.key.device.rawValue.filter { $0 != "\0" }) } },
            { $0.read = each { $0.key.device = DeviceID($0.key.device.rawValue.filter { $0 != "\\" }) } },
            { $0.read = { $0.filter { !$0.key.device.rawValue.isEmpty } } },
        ],
    ]

    private static let numbers: Faults = [
        "every digit of a number is kept": [
            { $0.read = each { $0.total.joules = Double(Float($0.total.joules)) } },
            { $0.read = each { $0.total.meteredSeconds = Double(Float($0.total.meteredSeconds)) } },
            { $0.read = each { $0.total.gapSeconds = Double(Float($0.total.gapSeconds)) } },
            { $0.read = each { $0.compensationJoules = Double(Float($0.compensationJoules)) } },
            { $0.read = samples { $0.watts = $0.watts.map { Double(Float($0)) } } },
            { $0.read = each { if $0.total.joules < .leastNormalMagnitude { $0.total.joules = 0 } } },
        ],
        "every digit of a time is kept": [
            // Loses the last bit of some times.
            { $0.read = samples { $0.wall = Date(timeIntervalSince1970: $0.wall.timeIntervalSince1970) } }
        ],
        "times of other eras are kept to the microsecond": [
            { $0.read = each { $0.lastSample = nil } },
            { $0.read = samples { $0.wall += 1e-5 } },
            { $0.read = samples { $0.wall = max($0.wall, Date(timeIntervalSince1970: 0)) } },
            { $0.read = samples { $0.wall = min($0.wall, Date(timeIntervalSince1970: 9e9)) } },
        ],
        "no sample, and a sample without power, differ from zero": [
            {
                $0.read = each {
                    $0.lastSample = $0.lastSample ?? .init(wall: Date(timeIntervalSince1970: 0), watts: 0)
                }
            },
            { $0.read = samples { $0.watts = $0.watts ?? 0 } },
            { $0.read = each { if $0.lastSample?.watts == nil { $0.lastSample = nil } } },
            { $0.read = samples { $0.watts = $0.watts == 0 ? nil : $0.watts } },
        ],
    ]

    private static let rejections: Faults = [
        "a record with a defect is rejected with its identifier, and nothing is saved": [
            { $0.checked = changed { $0.total.joules = 1 } },
            { $0.checked = changed { $0.total.meteredSeconds = 0 } },
            { $0.checked = changed { $0.total.gapSeconds = 0 } },
            { $0.checked = changed { $0.total.unverifiedSeconds = 0 } },
            { $0.checked = changed { $0.compensationJoules = 0 } },
            { $0.checked = changed { $0.lastSample?.watts = nil } },
            { $0.checked = changed { $0.lastSample?.wall = Date(timeIntervalSince1970: 0) } },
            { $0.checked = changed { if $0.total.joules == .infinity { $0.total.joules = 1 } } },
            { $0.checked = changed { if $0.total.joules == -.infinity { $0.total.joules = 1 } } },
            { $0.checked = changed { if $0.total.joules.isNaN { $0.total.joules = 1 } } },
            { $0.checked = changed { if $0.total.joules == -1 { $0.total.joules = 1 } } },
            { $0.message = { _ in "a record is invalid" } },
            { $0.savesBeforeItChecks = true },
        ],
        "a key that occurs twice is rejected, and nothing is saved": [
            { $0.isUnique = { _ in true } },
            { $0.savesBeforeItChecks = true },
            { $0.isUnique = { Set($0.map(\.key.device)).count == $0.count } },
        ],
    ]

    private static func samples(
        _ change: @escaping @Sendable (inout EnergyRecord.LastSample) -> Void
    ) -> @Sendable ([EnergyRecord]) -> [EnergyRecord] {
        each { $0.lastSample = $0.lastSample.map(changed(change)) }
    }
}
