// SPDX-License-Identifier: MIT

import Testing
@testable import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct EnergyRecordTests {
    private func defect(_ change: (inout EnergyRecord) -> Void) -> String? {
        var record = EnergyRecord(key: EnergyKey(device: DeviceID("ups-1")), total: EnergyTotal(joules: 3600))
        change(&record)
        return record.defect
    }

    @Test func aNewTotalIsZero() {
        let total = EnergyTotal()
        #expect([total.joules, total.meteredSeconds, total.gapSeconds, total.unverifiedSeconds] == [0, 0, 0, 0])
        #expect(EnergyTotal(joules: 3600).wattHours == 1)
        let update = EnergyUpdate(totals: [:])
        #expect(update.implausibleSamples == 0 && update.isSaved)
        #expect(!EnergyUpdate(totals: [:], saveFailure: EnergyStoreError(code: .io, message: "m")).isSaved)
    }

    @Test func acceptsAmountsUpToTheirLimits() {
        #expect(defect { _ in } == nil)
        #expect(defect { $0.total.joules = EnergyTotal.largestJoules } == nil)
        #expect(defect { $0.total.joules = 0 } == nil)
        #expect(defect { $0.compensationJoules = -$0.total.joules.ulp } == nil)
        for seconds: WritableKeyPath<EnergyTotal, Double> in [\.meteredSeconds, \.gapSeconds, \.unverifiedSeconds] {
            #expect(defect { $0.total[keyPath: seconds] = EnergyTotal.largestSeconds } == nil)
        }
        for wall in [-9.2e9, 9.2e9] {
            #expect(defect { $0.lastSample = .init(wall: Date(timeIntervalSince1970: wall), watts: 0) } == nil)
        }
    }

    @Test func rejectsAmountsBeyondTheirLimits() {
        for joules in [-1, .nan, .infinity, EnergyTotal.largestJoules.nextUp] {
            #expect(defect { $0.total.joules = joules }?.contains("its energy") == true)
        }
        for compensation in [1, .nan] {
            #expect(defect { $0.compensationJoules = compensation }?.contains("its compensation") == true)
        }
        for seconds in [-1, .nan, .infinity, EnergyTotal.largestSeconds.nextUp] {
            #expect(defect { $0.total.meteredSeconds = seconds }?.contains("its metered time") == true)
            #expect(defect { $0.total.gapSeconds = seconds }?.contains("its gap time") == true)
            #expect(defect { $0.total.unverifiedSeconds = seconds }?.contains("its unverified time") == true)
        }
        let (far, now) = (Date(timeIntervalSince1970: 9.3e9), Date(timeIntervalSince1970: 0))
        #expect(defect { $0.lastSample = .init(wall: far, watts: 1) }?.contains("1678") == true)
        for watts in [-1, .nan, .infinity] {
            #expect(defect { $0.lastSample = .init(wall: now, watts: watts) }?.contains("its last power") == true)
        }
    }

    @Test func limitsIdentifiers() {
        func defect(_ id: String) -> String? {
            EnergyRecord(key: EnergyKey(device: DeviceID(id)), total: EnergyTotal()).identifierDefect
        }
        #expect(defect(String(repeating: "x", count: 256)) == nil)
        #expect(defect(String(repeating: "x", count: 257))?.contains("256") == true)
        #expect(defect("") != nil && defect(" \t") != nil)
    }
}
