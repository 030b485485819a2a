// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPModel
@testable import WPNUT
import WPTestKit

@Suite("The words of ups.status")
struct UPSStatusMapperTests {
    private static let time = TestClock().timeSource.now

    private static func reading(_ mode: Int?, _ change: (inout DeviceReading) -> Void = { _ in }) -> DeviceReading {
        var reading = DeviceReading.sample(time: time)
        reading.mode = mode.map(OperatingMode.init(code:))
        reading.battery.isCharging = false
        change(&reading)
        return reading
    }

    private func status(_ readings: DeviceReading...) -> String? {
        var mapper = UPSStatusMapper()
        var status: UPSStatus?
        for reading in readings { status = mapper.status(of: reading, rule: LowBatteryRule()) }
        return status?.description
    }

    /// The table in docs/nut.md.
    @Test(arguments: [
        (3, 236.0, 220.0, "OL"), (4, 0.0, 220.0, "OB DISCHRG"), (4, 236.0, 220.0, "OB DISCHRG"),
        (5, 236.0, 220.0, "OL DISCHRG CAL"), (2, 236.0, 236.0, "OL BYPASS"), (1, 236.0, 0.0, "OL OFF"),
        (1, 0.0, 0.0, "OFF"), (0, 236.0, 0.0, "OL OFF"), (0, 0.0, 0.0, "OFF"), (6, 236.0, 220.0, "ALARM OL"),
        (6, 0.0, 220.0, "ALARM OB DISCHRG"), (6, 0.0, 0.0, "ALARM OFF"), (9, 236.0, 220.0, "OL"),
        (9, 0.0, 220.0, "OB DISCHRG"), (9, 0.0, 0.0, "OFF"),
    ])
    func mapsModesAndVoltages(mode: Int, input: Double, output: Double, expected: String) {
        let reading = Self.reading(mode) {
            $0.input.volts = input
            $0.output.volts = output
        }
        #expect(status(reading) == expected)
    }

    /// A voltage is present from half of the rated one, or from 50 V if that is unknown.
    @Test(
        arguments: [
            (220, 110, "OL"), (220, 109.9, "OB DISCHRG"), (nil, 50, "OL"), (nil, 49.9, "OB DISCHRG"), (0, 50, "OL"),
            (0, 49.9, "OB DISCHRG"), (1, 0.5, "OL"), (1, 0.4, "OB DISCHRG"),
        ] as [(Double?, Double, String)]
    )
    func comparesVoltagesWithTheRating(_ rating: Double?, _ input: Double, _ expected: String) {
        let reading = Self.reading(nil) {
            ($0.device.rating.volts, $0.input.volts, $0.output.volts) = (rating, input, 230)
        }
        #expect(status(reading) == expected)
    }

    @Test(arguments: [nil, 6, 9])
    func returnsNilIfTheSourceIsUnknown(mode: Int?) {
        #expect(status(Self.reading(mode) { $0.input.volts = nil }) == nil)
        #expect(status(Self.reading(mode) { ($0.input.volts, $0.output.volts) = (0, nil) }) == nil)
    }

    @Test func neverReportsMainsOnBattery() {
        for volts in [nil, 0, 10, 230] as [Double?] {
            let words = status(Self.reading(4) { $0.input.volts = volts })
            #expect(words == "OB DISCHRG")
        }
    }

    @Test func addsAdditionalWords() {
        #expect(status(Self.reading(3) { $0.battery.isCharging = true }) == "OL CHRG")
        #expect(status(Self.reading(3) { $0.load.percent = 101 }) == "OL OVER")
        #expect(status(Self.reading(3) { $0.load.percent = 100 }) == "OL")
        #expect(status(Self.reading(3) { $0.alarms = [DeviceReading.Alarm(text: "hot")] }) == "ALARM OL")
        #expect(status(Self.reading(3) { $0.faultCode = "7" }) == "ALARM OL")
        #expect(status(Self.reading(4) { $0.battery.isCharging = true }) == "OB DISCHRG")
    }

    @Test(arguments: [(20.0, 6000.0, 2), (90, 180, 2), (90, 6000, 3), (90, 6000, 4), (0, 0, 4)])
    func requiresTwoReadingsForALowBattery(charge: Double, runtime: Double, code: Int) {
        let low = Self.reading(4) { $0.battery = battery(charge, runtime, code) }
        let good = Self.reading(4) { $0.battery = battery(90, 6000, 2) }
        #expect(status(low) == "OB DISCHRG")
        #expect(status(low, good, low) == "OB DISCHRG")
        #expect(status(low, low) == "OB LB DISCHRG")
    }

    private func battery(_ charge: Double?, _ runtime: Double?, _ code: Int?) -> DeviceReading.Battery {
        DeviceReading.Battery(chargePercent: charge, runtimeSeconds: runtime, statusCode: code)
    }

    @Test func keepsCountingAcrossIncompleteReadings() {
        let low = Self.reading(4) { $0.battery = battery(20, 6000, 2) }
        let unknown = Self.reading(nil) { $0.input.volts = nil }
        #expect(status(low, unknown, low) == "OB LB DISCHRG")
        #expect(status(low, low, unknown, low) == "OB LB DISCHRG")
    }

    @Test func ignoresARuntimeThatIsAlwaysZero() {
        let zero = Self.reading(4) { $0.battery = battery(90, 0, 2) }
        #expect(status(zero, zero, zero) == "OB DISCHRG")
        let estimate = Self.reading(3) { $0.battery = battery(100, 6000, 2) }
        #expect(status(estimate, zero, zero) == "OB LB DISCHRG")
        let noCharge = Self.reading(4) { $0.battery = battery(nil, 0, nil) }
        #expect(status(noCharge, noCharge) == "OB LB DISCHRG")
    }

    @Test func isNotLowAboveTheThresholds() {
        let reading = Self.reading(4) { $0.battery = battery(20.1, 180.5, 2) }
        #expect(status(reading, reading) == "OB DISCHRG")
        let unknown = Self.reading(4) { $0.battery = battery(nil, nil, nil) }
        #expect(status(unknown, unknown, unknown) == "OB DISCHRG")
    }

    @Test func staysLowUntilItRecovers() {
        let low = Self.reading(4) { $0.battery = battery(20, 6000, 2) }
        func after(_ charge: Double?, _ runtime: Double?, _ code: Int? = 2) -> String? {
            status(low, low, Self.reading(4) { $0.battery = battery(charge, runtime, code) })
        }
        #expect(after(24.9, 6000) == "OB LB DISCHRG")
        #expect(after(25, 269) == "OB LB DISCHRG")
        #expect(after(90, 6000, 3) == "OB LB DISCHRG")
        #expect(after(nil, nil, nil) == "OB LB DISCHRG")
        #expect(after(25, 270) == "OB DISCHRG")
    }

    @Test func neverReportsLowOnMains() {
        let low = Self.reading(4) { $0.battery = battery(5, 10, 4) }
        for mode in [0, 1, 2, 3, 5] {
            let mains = Self.reading(mode) { $0.battery = battery(5, 10, 4) }
            #expect(status(low, low, mains)?.contains("LB") == false)
            // A new outage restarts the count.
            #expect(status(low, low, mains, low) == "OB DISCHRG")
        }
    }
}
