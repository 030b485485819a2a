// SPDX-License-Identifier: MIT

import WPCore
public import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The requirements of every energy store. Each check needs a new, empty store.
public enum EnergyStoreContract {
    /// All checks.
    public static let checks: [ContractCheck<any EnergyStore>] = [
        ContractCheck("a new store is empty") { store in
            try await expectRecords(store, [])
        },
        ContractCheck("the records that were saved last are loaded") { store in
            for serial in 0..<5 {
                let records = (0..<3).map { record("ups-\($0)", joules: Double(serial) + Double($0) / 3) }
                try await store.save(records)
                try await expectRecords(store, records)
            }
            try await store.save([])
            try await expectRecords(store, [])
        },
        ContractCheck("a save keeps the order and replaces all records") { store in
            let records = ["c", "a", "b"].map { record($0) }
            try await store.save(records)
            try await expectRecords(store, records)
            try await store.save([record("b")])
            try await expectRecords(store, [record("b")])
        },
        ContractCheck("canonically equivalent identifiers name different devices") { store in
            let records = [record("cafe\u{301}"), record("caf\u{E9}")]
            try await store.save(records)
            try await expectRecords(store, records)
        },
        ContractCheck("any text names a device or a source") { store in
            for text in texts {
                let records = [record(text), record("other", source: text + "!")]
                try await store.save(records)
                try await expectRecords(store, records)
            }
        },
        ContractCheck("every digit of a number is kept") { store in
            for number in numbers {
                var record = record("a", joules: number, watts: number)
                let seconds = min(number, EnergyTotal.largestSeconds)
                (record.total.meteredSeconds, record.total.gapSeconds) = (seconds, seconds)
                record.compensationJoules = -number.ulp / 3
                try await store.save([record])
                try await expectRecords(store, [record])
            }
        },
        ContractCheck("every digit of a time is kept") { store in
            var state: UInt64 = 1
            let records = (0..<1000).map { index in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let time = Double(state >> 11) / Double(1 << 53) * 2e9 + 2e7
                var record = record("\(index)")
                record.lastSample = .init(wall: Date(timeIntervalSinceReferenceDate: time), watts: nil)
                return record
            }
            try await store.save(records)
            try await expectRecords(store, records)
        },
        ContractCheck("times of other eras are kept to the microsecond") { store in
            for seconds in [-9.2e9, -1_750_000_000, -1, 0, 978_307_200, 9.2e9] {
                var record = record("a")
                record.lastSample = .init(wall: Date(timeIntervalSince1970: seconds), watts: 1)
                try await store.save([record])
                let loaded = try await store.load().first?.lastSample?.wall.timeIntervalSince1970
                try expect(
                    loaded.map { abs($0 - seconds) <= 1e-6 } == true,
                    "expected \(seconds), found \(loaded as Any)"
                )
            }
        },
        ContractCheck("no sample, and a sample without power, differ from zero") { store in
            var never = record("never")
            never.lastSample = nil
            let records = [never, record("unknown", watts: nil), record("zero", watts: 0)]
            try await store.save(records)
            try await expectRecords(store, records)
        },
        ContractCheck("a record with a defect is rejected with its identifier, and nothing is saved") { store in
            let before = [record("a"), record("b")]
            try await store.save(before)
            for defect in defects {
                let error = try await expectError(EnergyStoreError.self, "a record with a defect") {
                    try await store.save([record("c"), defect])
                }
                try expect(error.message.contains("\"bad\""), "the error does not name the record: \(error.message)")
                try await expectRecords(store, before)
            }
        },
        ContractCheck("a key that occurs twice is rejected, and nothing is saved") { store in
            try await store.save([record("b")])
            try await expectError(EnergyStoreError.self, "twice the key a") {
                try await store.save([record("a"), record("a")])
            }
            try await expectRecords(store, [record("b")])
            try await store.save([record("a"), record("a", source: "x")])
        },
        ContractCheck("2,000 records are kept") { store in
            let records = (0..<2000).map { record("\($0)", joules: Double($0)) }
            try await store.save(records)
            try await expectRecords(store, records)
        },
    ]

    private static let texts = [
        "", " ", ".", "..", "../../etc/passwd", "/etc/passwd", "a/b\\c", "\"quoted\"", "tab\tnewline\nreturn\r",
        "nul\u{0}inside", "\u{1}\u{1f}\u{7f}\u{80}", "\u{2028}\u{2029}\u{feff}", "中文 ünïcödé 🔋", "e\u{301}", "%s%n",
        "[1,2]",
        "\\u0041", String(repeating: "x", count: 10_000),
    ]

    private static let numbers = [
        0, -0.0, 0.1, 975, 1.0 / 3, 123_456_789.123_456_78, 1e12, 1e15, 1e16, 3.6e18, .leastNonzeroMagnitude,
        .leastNormalMagnitude, 1e-7, 9_007_199_254_740_992,
    ]

    private static var defects: [EnergyRecord] {
        [-1, .nan, .infinity, -.infinity].flatMap { (value: Double) in
            let changes: [(inout EnergyRecord) -> Void] = [
                { $0.total.joules = value }, { $0.total.meteredSeconds = value }, { $0.total.gapSeconds = value },
                { $0.total.unverifiedSeconds = value }, { $0.compensationJoules = value },
                { $0.lastSample?.watts = value },
                { $0.lastSample?.wall = Date(timeIntervalSince1970: value * 1e11) },
            ]
            return changes.map { change in
                var bad = record("bad")
                change(&bad)
                return bad
            }
        }
    }

    private static func record(
        _ device: String,
        source: String = "",
        joules: Double = 1,
        watts: Double? = 1
    ) -> EnergyRecord {
        EnergyRecord(
            key: EnergyKey(source: SourceID(rawValue: source), device: DeviceID(device)),
            total: EnergyTotal(joules: joules, meteredSeconds: 2, gapSeconds: 3, unverifiedSeconds: 4),
            lastSample: .init(wall: Date(timeIntervalSince1970: 1_750_000_000.25), watts: watts),
            name: "UPS \(device)",
            typeCode: 5
        )
    }

    private static func expectRecords(_ store: any EnergyStore, _ expected: [EnergyRecord]) async throws {
        let found = try await store.load()
        try expect(
            found == expected,
            "expected \(expected.count) records \(expected.prefix(3))…, found \(found.prefix(3))…"
        )
    }
}
