// SPDX-License-Identifier: MIT

import Foundation
import WPMetrics
import WPProgram
import WPSettings

struct SensorSettings: ProgramSettings {
    var server = ServerSettings(port: 9101)
    var logging = LoggingSettings()
    var interval: Duration = .seconds(5)
    var device = "/sys/class/thermal/thermal_zone0/temp"

    static let table = SettingTable(
        prefix: "SENSOR_",
        defaults: SensorSettings(),
        searchPaths: ["./sensor.yaml", "/etc/sensor/sensor.yaml"],
        server: \.server,
        logging: \.logging,
        sections: [
            SettingSection(
                "sensor",
                "The sensor",
                [
                    Setting(
                        "sensor.interval",
                        \.interval,
                        .duration(.seconds(1) ... .seconds(3600)),
                        help: "Time between two measurements"
                    ),
                    Setting(
                        "sensor.device",
                        \.device,
                        .path,
                        help: "File with the temperature in millidegrees Celsius"
                    ),
                ]
            )
        ]
    )
}

/// Serves the temperature of a sensor of this machine.
@main struct Sensor: ExporterProgram {
    static let description = ProgramDescription("sensor", summary: "Serves the temperature of a sensor", version: "1.0")

    init(_ context: ProgramContext<SensorSettings>) throws {
        let temperature = try context.registry.gauge(name: "sensor_celsius", help: "Temperature.", unit: "celsius")
        context.every(\.interval, "measurement") { settings in
            let text = try String(contentsOf: URL(filePath: settings.device), encoding: .utf8)
            guard let value = Double(text.filter { !$0.isWhitespace }) else { throw NotANumber(path: settings.device) }
            temperature.set(value / 1000)
        }
    }
}

struct NotANumber: Error {
    let path: String
}
