// SPDX-License-Identifier: MIT

public import WPCore
public import WPModel

extension DeviceReading {
    /// A reading of a healthy single-phase UPS with every value set.
    public static func sample(
        id: String = "ups-1",
        alias: String = "UPS 1",
        watts: Double? = 195,
        time: TimePoint,
        isConnected: Bool? = true
    ) -> DeviceReading {
        DeviceReading(
            device: Device(
                id: DeviceID(id),
                alias: alias,
                typeCode: 1,
                model: "ON-LINE",
                firmwareVersion: "03.09",
                protocolID: 13,
                areaID: "area-1",
                inputPhaseCount: 1,
                outputPhaseCount: 1,
                rating: Device.Rating(voltAmperes: 3000, volts: 220, hertz: 50, batteryVolts: 72)
            ),
            time: time,
            isConnected: isConnected,
            input: Input(volts: 236.8, hertz: 49.9, transformerTypeCode: 0),
            output: Output(volts: 220.1, amperes: 1.1, hertz: 49.9, voltageTypeCode: 0),
            load: Load(percent: 6, watts: watts, voltAmperes: 198),
            battery: Battery(isCharging: true, chargePercent: 90, runtimeSeconds: 6723, volts: 81.4, statusCode: 2),
            mode: OperatingMode(code: 3),
            statusCode: 1,
            testStatusCode: 1,
            temperatureCelsius: 27
        )
    }
}
