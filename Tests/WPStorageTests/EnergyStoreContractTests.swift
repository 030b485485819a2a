// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPModel
import WPStorage
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What every energy store keeps to.
@Suite struct EnergyStoreContractTests {
    enum Implementation: CaseIterable, Sendable {
        case memory, file
    }

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func store(_ implementation: Implementation) async throws -> any EnergyStore {
        switch implementation {
        case .memory: MemoryEnergyStore()
        case .file: try await FileEnergyStore.open(.init(directory: directory.path), logger: .silent)
        }
    }

    private func record(_ device: String, source: String = "", watts: Double? = 1) -> EnergyRecord {
        EnergyRecord(
            key: EnergyKey(source: SourceID(rawValue: source), device: DeviceID(device)),
            total: EnergyTotal(joules: 1, meteredSeconds: 2, gapSeconds: 3),
            lastSample: .init(wall: Date(timeIntervalSince1970: 1_750_000_000), watts: watts)
        )
    }

    @Test(arguments: Implementation.allCases)
    func aNewStoreIsEmpty(_ implementation: Implementation) async throws {
        #expect(try await store(implementation).load() == [])
    }

    @Test(arguments: Implementation.allCases)
    func keepsDevicesApartWhoseIdentifiersAreCanonicallyEquivalent(_ implementation: Implementation) async throws {
        let store = try await store(implementation)
        let records = [record("cafe\u{301}"), record("caf\u{E9}")]
        try await store.save(records)
        #expect(
            try await store.load().map { Array($0.key.device.rawValue.utf8) }
                == records.map { Array($0.key.device.rawValue.utf8) }
        )
    }

    @Test(arguments: Implementation.allCases)
    func givesBackWhatWasSavedLast(_ implementation: Implementation) async throws {
        let store = try await store(implementation)
        for serial in 0..<5 {
            try await store.save(Records.state(serial))
            #expect(try await store.load() == Records.state(serial))
        }
        try await store.save([])
        #expect(try await store.load() == [])
    }

    @Test(arguments: Implementation.allCases)
    func keepsTheOrderAndReplacesEverything(_ implementation: Implementation) async throws {
        let store = try await store(implementation)
        try await store.save([record("c"), record("a"), record("b")])
        #expect(try await store.load().map(\.key.device.rawValue) == ["c", "a", "b"])
        try await store.save([record("b")])
        #expect(try await store.load() == [record("b")])
    }

    @Test(
        arguments: Implementation.allCases,
        [
            "", " ", ".", "..", "../../etc/passwd", "/etc/passwd", "a/b\\c", "\"quoted\"", "tab\tnewline\nreturn\r",
            "nul\u{0}inside", "\u{1}\u{1f}\u{7f}\u{80}", "\u{2028}\u{2029}\u{feff}", "中文 ünïcödé 🔋", "e\u{301}", "%s%n",
            "[1,2]",
            "\\u0041", String(repeating: "x", count: 10_000),
        ]
    )
    func anyTextIsADeviceOrASource(_ implementation: Implementation, _ text: String) async throws {
        let store = try await store(implementation)
        let records = [record(text), record("other", source: text + "!")]
        try await store.save(records)
        let loaded = try await store.load()
        #expect(loaded == records)
        // Swift's strings are equal when they look alike; the bytes must be the same too.
        #expect(loaded.map { Array($0.key.device.rawValue.utf8) } == records.map { Array($0.key.device.rawValue.utf8) })
    }

    @Test(
        arguments: Implementation.allCases,
        [
            0, -0.0, 0.1, 975, 1.0 / 3, 123_456_789.123_456_78, 1e12, 1e15, 1e16, 3.6e18,
            .leastNonzeroMagnitude, .leastNormalMagnitude, 1e-7, 9_007_199_254_740_992,
        ] as [Double]
    )
    func everyDigitOfANumberIsKept(_ implementation: Implementation, _ number: Double) async throws {
        let store = try await store(implementation)
        var record = record("a", watts: number)
        let seconds = min(number, EnergyTotal.largestSeconds)
        record.total = EnergyTotal(joules: number, meteredSeconds: seconds, gapSeconds: seconds)
        record.compensationJoules = -number.ulp / 3
        try await store.save([record])
        #expect(try await store.load() == [record])
    }

    @Test(arguments: Implementation.allCases)
    func everyDigitOfATimeIsKept(_ implementation: Implementation) async throws {
        let store = try await store(implementation)
        var state: UInt64 = 1
        var records: [EnergyRecord] = []
        for index in 0..<1000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let wall = Date(timeIntervalSinceReferenceDate: Double(state >> 11) / Double(1 << 53) * 2e9 + 2e7)
            var record = record("\(index)")
            record.lastSample = .init(wall: wall, watts: nil)
            records.append(record)
        }
        try await store.save(records)
        #expect(try await store.load() == records)
    }

    @Test(
        arguments: Implementation.allCases,
        [-9.2e9, -1_750_000_000, -1, 0, 978_307_200, 9.2e9] as [Double]
    )
    func timesOfOtherErasAreKeptToTheMicrosecond(_ implementation: Implementation, _ unix: Double) async throws {
        let store = try await store(implementation)
        var record = record("a")
        record.lastSample = .init(wall: Date(timeIntervalSince1970: unix), watts: 1)
        try await store.save([record])
        let loaded = try #require(try await store.load().first?.lastSample)
        #expect(abs(loaded.wall.timeIntervalSince1970 - unix) <= 1e-6)
    }

    @Test(arguments: Implementation.allCases)
    func noSampleAndNoPowerAreNotZero(_ implementation: Implementation) async throws {
        let store = try await store(implementation)
        var never = record("never")
        never.lastSample = nil
        let records = [never, record("unknown", watts: nil), record("zero", watts: 0)]
        try await store.save(records)
        #expect(try await store.load() == records)
    }

    @Test(arguments: Implementation.allCases)
    func aRecordWithADefectIsRefusedAndNothingIsSaved(_ implementation: Implementation) async throws {
        let store = try await store(implementation)
        try await store.save(Records.state(1))
        var defects: [EnergyRecord] = []
        for value in [-1.0, .nan, .infinity, -.infinity] {
            var record = record("bad")
            record.total.joules = value
            defects.append(record)
            record = self.record("bad")
            record.total.meteredSeconds = value
            defects.append(record)
            record = self.record("bad")
            record.total.gapSeconds = value
            defects.append(record)
            defects.append(self.record("bad", watts: value))
            record = self.record("bad")
            record.compensationJoules = value
            defects.append(record)
            record = self.record("bad")
            record.lastSample?.wall = Date(timeIntervalSince1970: value * 1e11)
            defects.append(record)
        }
        for defect in defects {
            let error = await #expect(throws: EnergyStoreError.self) { try await store.save([record("a"), defect]) }
            #expect(error?.message.contains("\"bad\"") == true)
            #expect(try await store.load() == Records.state(1))
        }
    }

    @Test(arguments: Implementation.allCases)
    func aKeyThatStandsTwiceIsRefused(_ implementation: Implementation) async throws {
        let store = try await store(implementation)
        try await store.save(Records.state(1))
        await #expect(throws: EnergyStoreError.self) { try await store.save([record("a"), record("a")]) }
        #expect(try await store.load() == Records.state(1))
        try await store.save([record("a"), record("a", source: "x")])
    }

    @Test(arguments: Implementation.allCases)
    func manyRecords(_ implementation: Implementation) async throws {
        let store = try await store(implementation)
        try await store.save(Records.state(7, devices: 2000))
        #expect(try await store.load() == Records.state(7, devices: 2000))
    }
}
