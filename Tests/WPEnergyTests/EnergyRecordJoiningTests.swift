// SPDX-License-Identifier: MIT

import Testing
import WPEnergy
import WPModel

@Suite struct EnergyRecordJoiningTests {
    @Test func addsRecordsWithoutRounding() {
        let one = EnergyRecord(
            key: EnergyKey(device: DeviceID("new")),
            total: EnergyTotal(joules: 1e9, meteredSeconds: 10, gapSeconds: 20, unverifiedSeconds: 30),
            compensationJoules: 3e-8,
            name: "Rack"
        )
        let other = EnergyRecord(
            key: EnergyKey(device: DeviceID("old")),
            total: EnergyTotal(joules: 0.5, meteredSeconds: 1, gapSeconds: 2, unverifiedSeconds: 3),
            compensationJoules: 1e-17,
            name: "Old rack"
        )
        let joined = one.adding(other)
        let expected = EnergyTotal(joules: 1_000_000_000.5, meteredSeconds: 11, gapSeconds: 22, unverifiedSeconds: 33)
        #expect(joined.total == expected)
        #expect(joined.compensationJoules == 3e-8 + 1e-17)
        #expect(joined.key == one.key)
        #expect(joined.name == "Rack")
        #expect(joined.defect == nil)
        let reversed = other.adding(one)
        #expect(reversed.total == expected)
        #expect(reversed.compensationJoules == joined.compensationJoules)
    }
}
