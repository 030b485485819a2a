// SPDX-License-Identifier: MIT

/// A lead-acid battery string that the load discharges, and that recharges in a few hours.
struct SimulatedBattery: Sendable {
    /// The number of 12 V blocks.
    let blocks: Int
    /// The energy of a full battery in joules. A captured 3 kVA device reported 6723 s at 195 W and 90 %: about 0.135
    /// Wh per rated volt-ampere.
    let capacityJoules: Double
    /// The charge at ``since``, in percent.
    private var chargeAtStart: Double
    /// The start of the current state, in seconds of the simulation.
    private(set) var since: Double
    /// Whether the battery feeds the load.
    private(set) var isDischarging: Bool

    private static let percentPerSecond = 100.0 / (4 * 3600)
    private static let longestRuntime = 99_999.0

    init(blocks: Int, ratedVoltAmperes: Double, charge: Double) {
        self.blocks = blocks
        capacityJoules = ratedVoltAmperes * 0.135 * 3600
        chargeAtStart = charge
        since = 0
        isDischarging = false
    }

    /// Starts discharging or charging the battery at a time.
    mutating func change(isDischarging: Bool, at seconds: Double, load: LoadHistory) {
        chargeAtStart = charge(at: seconds, load: load)
        since = seconds
        self.isDischarging = isDischarging
    }

    /// The charge in percent, 0 to 100. An empty battery stays empty; the simulated device does not switch off.
    func charge(at seconds: Double, load: LoadHistory) -> Double {
        let charge =
            if isDischarging {
                chargeAtStart - 100 * load.joules(from: since, to: seconds) / capacityJoules
            } else {
                chargeAtStart + (seconds - since) * Self.percentPerSecond
            }
        return min(max(charge, 0), 100)
    }

    /// The remaining runtime at this load in seconds.
    func runtime(charge: Double, watts: Double) -> Double {
        guard watts > 0 else { return Self.longestRuntime }
        return min(capacityJoules * charge / 100 / watts, Self.longestRuntime)
    }

    /// The voltage of the string: per block, 13.4 V to 13.6 V while charging and 12.6 V down to 10.5 V while
    /// discharging.
    func volts(charge: Double) -> Double {
        let perBlock = isDischarging ? 10.5 + 2.1 * charge / 100 : 13.4 + 0.2 * charge / 100
        return Double(blocks) * perBlock
    }
}
