// SPDX-License-Identifier: MIT

import WPCore
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Readings of a fleet that covers every case once.
enum SampleFleet {
    /// A time this many seconds after the start.
    static func time(_ seconds: Double) -> TimePoint {
        TimePoint(wall: Date(timeIntervalSince1970: 1_750_000_000 + seconds), monotonic: .seconds(seconds))
    }

    static let readings: [DeviceReading] = [
        .sample(id: "e156e6cb-4b5d-4e0d-9d9d-6a1b8f0e6f0a", alias: "UPS 机房一", time: time(0)),
        changed("2", "服务器机柜二 長い名前のテスト UPS") {
            $0.mode = OperatingMode(code: 4)
            $0.battery.chargePercent = 41
            $0.battery.runtimeSeconds = 725
            $0.load.percent = 86
            $0.load.watts = 2312.4
            $0.input.volts = 0
            $0.alarms = [.init(id: "1001", text: "Utility failure"), .init(id: "", text: "Battery  low")]
        },
        changed("3", "Dup") { $0.isConnected = false },
        changed("4", "Dup") {
            $0.mode = OperatingMode(code: 6)
            $0.faultCode = "17"
        },
        changed("5", "") {
            $0 = DeviceReading(device: $0.device, time: $0.time)
            $0.device.model = nil
            $0.device.rating = Device.Rating()
        },
        changed("6", "Evil \u{1b}[2J\u{202e}") {
            $0.mode = OperatingMode(code: 9)
            $0.load.percent = 117
            $0.battery.runtimeSeconds = 200_000
            $0.phases = [.init(number: 1, inputVolts: 230, loadWatts: 65), .init(number: 2, outputVolts: 231)]
        },
    ]

    private static func changed(_ id: String, _ alias: String, _ change: (inout DeviceReading) -> Void) -> DeviceReading
    {
        var reading = DeviceReading.sample(id: "ups-\(id)", alias: alias, time: time(0))
        change(&reading)
        return reading
    }
}
