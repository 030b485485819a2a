// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct QuantityTests {
    private static func cells(_ file: String) throws -> [[String]] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: file)
        return String(decoding: try Data(contentsOf: page), as: UTF8.self).split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingPrefix { $0 == " " }.description }
        }
    }

    private static func symbols(_ unit: QuantityUnit) -> [String] {
        switch unit {
        case .percent: ["%"]
        case .watts: ["W"]
        case .voltAmperes: ["VA"]
        case .volts: ["V"]
        case .amperes: ["A"]
        case .hertz: ["Hz"]
        case .seconds: ["s"]
        case .celsius: ["°C"]
        case .wattHours: ["Wh"]
        case .count: [""]
        case .code: ["the vendor's code", "厂商代码"]
        case .flag: ["0, 1", "0、1"]
        }
    }

    private func expectRows<Root>(_ quantities: [Quantity<Root>], in file: String, suffix: String) throws {
        let rows = try Self.cells(file)
        for quantity in quantities {
            guard let metric = quantity.metric, let name = quantity.field else { continue }
            let field = quantity.part == .config ? "config.\(name)" : name + suffix
            let row = try #require(rows.first { $0.first?.contains("`\(metric)`") == true }, "\(file): \(metric)")
            // The last two columns are the unit and the field.
            try #require(row.count >= 5)
            #expect(row[1].hasPrefix("gauge"), "\(file): \(metric)")
            #expect(row[2].split(separator: "`").first ?? "" == quantity.name ?? "", "\(file): \(metric)")
            #expect(Self.symbols(quantity.unit).contains { row[row.count - 2].contains($0) }, "\(file): \(metric)")
            #expect(row[row.count - 1].hasPrefix("`\(field)`"), "\(file): \(metric)")
        }
    }

    @Test(arguments: ["docs/metrics.md", "docs/zh-CN/metrics.md"])
    func isDocumented(file: String) throws {
        try expectRows(UPSQuantity.all, in: file, suffix: "")
        try expectRows(PhaseQuantity.all, in: file, suffix: "1")
    }

    @Test func narrowTablesDropColumnsInOrder() {
        let columns = UPSQuantity.all.compactMap(\.column).map {
            "\($0.heading): \($0.decimals) \($0.decimalsInLines) \($0.dropOrder)\($0.isExtra ? " extra" : "")"
        }
        #expect(
            columns == [
                "LOAD %: 0 1 0", "POWER W: 0 1 0", "BATT %: 0 0 0", "LEFT: 0 0 1", "IN V: 1 1 4", "OUT V: 1 1 3",
                "TEMP C: 1 1 5", "RATED VA: 0 1 6 extra",
            ]
        )
    }

    @Test(
        arguments: [
            (.percent, 0...1000), (.watts, 0...1e9), (.voltAmperes, 0...1e9), (.seconds, 0...1e9), (.count, 0...1e9),
            (.volts, 0...1e6), (.amperes, 0...1e6), (.hertz, 0...1e4), (.celsius, -100...200), (.wattHours, 0...1e15),
            (.code, nil), (.flag, nil),
        ] as [(QuantityUnit, ClosedRange<Double>?)]
    )
    func hasTheRangeOfItsUnit(_ unit: QuantityUnit, _ range: ClosedRange<Double>?) {
        #expect(unit.range == range)
        for quantity in UPSQuantity.all where quantity.unit == unit && quantity.name != "battery_percent" {
            #expect(quantity.range == range)
        }
        #expect(UPSQuantity.batteryPercent.range == -0.5...101)
    }

    @Test func hasUniqueNames() {
        func expectUnique<Value: Hashable>(_ values: [Value]) {
            #expect(Set(values).count == values.count, "\(values)")
        }
        expectUnique(UPSQuantity.all.compactMap(\.name))
        expectUnique(UPSQuantity.all.compactMap(\.metric) + PhaseQuantity.all.compactMap(\.metric))
        expectUnique(UPSQuantity.all.compactMap(\.field))
        expectUnique(UPSQuantity.all.compactMap(\.history))
        expectUnique(UPSQuantity.all.compactMap(\.nut) + PhaseQuantity.all.compactMap(\.nut))
        expectUnique(UPSQuantity.all.compactMap(\.label?.english))
    }

    /// A recorded history would be read as that of another quantity.
    @Test func keepsTheNumbersOfTheHistory() {
        let numbers = UPSQuantity.all.compactMap { quantity in quantity.history.map { (quantity.name ?? "", $0) } }
        let expected: [String: UInt8] = [
            "load_percent": 32, "load_watts": 33, "battery_percent": 34, "battery_runtime_seconds": 35,
            "input_volts": 36, "output_volts": 37, "temperature_celsius": 38, "battery_volts": 39,
            "energy_watt_hours": 64,
        ]
        #expect(Dictionary(numbers) { first, _ in first } == expected)
    }

    @Test func phasesAreNumberedFromOneToThree() {
        #expect(Array(PhaseQuantity.numbers) == [1, 2, 3])
    }

    @Test func setsAndReadsValues() {
        let time = TestClock().timeSource.now
        for quantity in UPSQuantity.all where quantity.field != nil {
            var reading = DeviceReading(device: Device(id: DeviceID("u")), time: time)
            #expect(quantity.value(of: reading) == nil)
            quantity.set(1, in: &reading)
            #expect(UPSQuantity.all.filter { $0.value(of: reading) != nil }.map(\.help) == [quantity.help])
            #expect(quantity.value(of: reading) == 1)
        }
    }

    @Test func survivesEncodingASnapshot() throws {
        var reading = DeviceReading.sample(id: "u", alias: "a", time: TestClock().timeSource.now)
        reading.device.firmwareVersion = "1.2"
        reading.device.areaID = "area"
        reading.faultCode = "E7"
        reading.alarms = [.init(id: "", text: "Overload"), .init(id: "7", text: "Battery")]
        reading.phases = [.init(number: 1, inputVolts: 230, loadWatts: 1.5)]
        let snapshot = UPSSnapshot(reading, total: EnergyTotal(joules: 3600))
        let decoded = try JSONDecoder().decode(UPSSnapshot.self, from: try JSONEncoder().encode(snapshot))
        #expect(decoded == snapshot)
        #expect(decoded.name == "a" && decoded.model == reading.device.model && decoded.firmwareVersion == "1.2")
        #expect(decoded.areaID == "area" && decoded.typeCode == reading.device.typeCode && decoded.faultCode == "E7")
        #expect(decoded.mode == reading.mode?.state.rawValue)
        #expect(decoded.alarms == [.init(id: nil, text: "Overload"), .init(id: "7", text: "Battery")])
        #expect(decoded.phases?.map(\.values) == reading.phases)
        #expect(decoded[.energy] == 1 && decoded[.loadWatts] == 195 && decoded[.connected] == 1)
        for quantity in UPSQuantity.reported where quantity.field != nil {
            #expect(decoded[quantity] == quantity.value(of: reading), "\(quantity.jsonName)")
        }
    }

    @Test func omitsACodeTooLargeForAnInteger() throws {
        let json = #"{"id":"u","read_at":"","mode_code":9223372036854775807}"#
        let snapshot = try JSONDecoder().decode(UPSSnapshot.self, from: Data(json.utf8))
        #expect(String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self).contains("mode_code") == false)
    }
}
