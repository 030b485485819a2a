// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPModel
@testable import WPNUT
import WPTestKit

@Suite("The variables of a UPS")
struct UPSVariablesTests {
    private func lines(_ reading: DeviceReading, _ status: UPSStatus = .online) -> [String] {
        UPSVariables.make(reading, status: status, rule: LowBatteryRule(), version: "4.0")
            .map { "\($0.key.rawValue)=\($0.value.value)" }
            .sorted()
    }

    @Test func publishesAllValuesOfAReading() {
        let reading = DeviceReading.sample(id: "id-1", alias: "Rack 1", time: TestClock().timeSource.now)
        #expect(
            lines(reading) == [
                "battery.charge.low=20", "battery.charge=90", "battery.charger.status=charging",
                "battery.runtime.low=180",
                "battery.runtime=6723", "battery.voltage.nominal=72", "battery.voltage=81.4",
                "device.description=Rack 1",
                "device.model=ON-LINE", "device.type=ups", "driver.name=winpower-exporter", "driver.version=4.0",
                "input.frequency.nominal=50", "input.frequency=49.9", "input.phases=1", "input.voltage.nominal=220",
                "input.voltage=236.8", "output.current=1.1", "output.frequency=49.9", "output.phases=1",
                "output.voltage=220.1", "ups.firmware=03.09", "ups.id=id-1", "ups.load=6", "ups.model=ON-LINE",
                "ups.power.nominal=3000", "ups.power=198", "ups.realpower=195", "ups.status=OL", "ups.temperature=27",
            ]
        )
    }

    @Test func omitsUnknownValues() {
        let reading = DeviceReading(device: Device(id: "x"), time: TestClock().timeSource.now)
        #expect(
            lines(reading, .onBattery) == [
                "battery.charge.low=20", "battery.runtime.low=180", "device.type=ups", "driver.name=winpower-exporter",
                "driver.version=4.0", "ups.id=x", "ups.status=OB",
            ]
        )
    }

    @Test func publishesPhasesAndAlarms() {
        var reading = DeviceReading(device: Device(id: "x"), time: TestClock().timeSource.now)
        reading.phases = [
            .init(
                number: 1,
                inputVolts: 230,
                outputVolts: 220,
                outputAmperes: 1.25,
                loadWatts: 100,
                loadVoltAmperes: 110
            ),
            .init(number: 3, inputVolts: 231.005), .init(number: 4, inputVolts: 1),
        ]
        reading.alarms = [.init(id: "7", text: "Battery \"low\""), .init(id: "8", text: "")]
        reading.faultCode = "12"
        let lines = lines(reading)
        for line in [
            "input.L1-N.voltage=230", "output.L1-N.voltage=220", "output.L1.current=1.25", "output.L1.realpower=100",
            "output.L1.power=110", "ups.alarm=Battery \"low\"; 8; Fault 12",
        ] {
            #expect(lines.contains(line))
        }
        #expect(lines.contains { $0.hasPrefix("input.L3-N.voltage=231") })
    }

    @Test(
        arguments: [
            (true, 100.0, UPSStatus.online, "floating"), (true, 99, .online, "charging"),
            (false, 100, .online, "resting"),
            (true, 50, [.onBattery, .discharging], "discharging"), (nil, 50, .online, nil),
        ] as [(Bool?, Double, UPSStatus, String?)]
    )
    func reportsTheChargerState(isCharging: Bool?, charge: Double, status: UPSStatus, expected: String?) {
        var reading = DeviceReading(device: Device(id: "x"), time: TestClock().timeSource.now)
        reading.battery = .init(isCharging: isCharging, chargePercent: charge)
        let variables = UPSVariables.make(reading, status: status, rule: LowBatteryRule(), version: "")
        #expect(variables[.batteryChargerStatus]?.value == expected)
    }

    @Test(arguments: [(1.0, "1"), (-0.5, "-0.5"), (49.95, "49.95"), (0.004, "0"), (12.3, "12.3"), (100.07, "100.07")])
    func formatsNumbersWithAtMostTwoDecimals(value: Double, text: String) throws {
        var reading = DeviceReading(device: Device(id: "x"), time: TestClock().timeSource.now)
        reading.temperatureCelsius = value
        let variables = UPSVariables.make(reading, status: .online, rule: LowBatteryRule(), version: "")
        #expect(variables[try #require(NUTVariableName(.temperature))]?.value == text)
    }

    @Test func survivesAbsurdValues() throws {
        var reading = DeviceReading(device: Device(id: "x"), time: TestClock().timeSource.now)
        reading.alarms = [.init(text: String(repeating: "机", count: 10_000))]
        for value in [Double.infinity, -.infinity, .nan, 1e300, -1e300] {
            reading.temperatureCelsius = value
            let variables = UPSVariables.make(reading, status: .online, rule: LowBatteryRule(), version: "")
            #expect(variables[try #require(NUTVariableName(.temperature))] == nil)
            #expect((variables[.upsAlarm]?.value.utf8.count ?? 0) <= 256)
        }
    }
}
