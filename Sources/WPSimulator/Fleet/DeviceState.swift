// SPDX-License-Identifier: MIT

/// The measurements of a device at one moment.
struct DeviceState: Sendable {
    let ratedVoltAmperes: Double
    let inputHertz: Double
    let outputHertz: Double
    let watts: Double
    let voltAmperes: Double
    let charge: Double
    let runtimeSeconds: Double
    let batteryVolts: Double
    let isCharging: Bool
    let isOnBattery: Bool
    let temperatureCelsius: Double
    /// One for a single-phase device, three for a three-phase device.
    let phases: [Phase]

    struct Phase: Sendable {
        let number: Int
        let inputVolts: Double
        let outputVolts: Double
        /// The phase's share of the load; the shares add up to 1.
        let share: Double
    }

    static let ratedVolts = 220.0
    static let ratedHertz = 50.0

    /// - Parameters:
    ///   - seconds: the moment, in seconds of the simulation.
    ///   - phaseCount: 1 or 3. Three-phase devices are rated at least 10 kVA.
    init(of device: SimulatedDevice, at seconds: Double, phaseCount: Int) {
        func swing(_ amplitude: Double, period: Double, offset: Double = 0) -> Double {
            LoadCurve.Wave(amplitude: amplitude, period: period, phase: device.phase + offset).value(at: seconds)
        }
        let battery = device.battery
        let isOnBattery = battery.isDischarging
        self.isOnBattery = isOnBattery
        ratedVoltAmperes = phaseCount == 1 ? device.ratedVoltAmperes : max(device.ratedVoltAmperes, 10_000)
        inputHertz = isOnBattery ? 0 : Self.ratedHertz + swing(0.05, period: 47)
        outputHertz = Self.ratedHertz + swing(isOnBattery ? 0.01 : 0.05, period: 47)
        watts = device.load.watts(at: seconds)
        voltAmperes = watts / device.powerFactor
        charge = battery.charge(at: seconds, load: device.load)
        runtimeSeconds = battery.runtime(charge: charge, watts: watts)
        batteryVolts = battery.volts(charge: charge)
        isCharging = !isOnBattery && charge < 100
        temperatureCelsius = 24 + 8 * watts / ratedVoltAmperes + swing(1.5, period: 5400)
        let shares = phaseCount == 1 ? [1] : [0.36, 0.33, 0.31]
        phases = shares.enumerated().map { index, share in
            let offset = Double(index) / 3
            return Phase(
                number: index + 1,
                inputVolts: isOnBattery ? 0 : 231 + swing(5, period: 613, offset: offset),
                outputVolts: Self.ratedVolts + swing(0.4, period: 31, offset: offset),
                share: share
            )
        }
    }

    /// The load in percent of the rating, truncated to a whole number, as devices do.
    var loadPercent: Double { (100 * voltAmperes / ratedVoltAmperes).rounded(.towardZero) }
}
