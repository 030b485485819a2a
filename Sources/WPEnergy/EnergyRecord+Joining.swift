// SPDX-License-Identifier: MIT

package import WPModel

extension EnergyRecord {
    /// This device's record with the total of another one added, as when a device came back under another identifier.
    ///
    /// Energy is added without rounding anything away. The last sample stays, so that the time between the other's last
    /// sample and this one's first is not counted.
    package func adding(_ other: EnergyRecord) -> EnergyRecord {
        var sum = CompensatedSum(total.joules, compensation: compensationJoules)
        sum.add(other.total.joules)
        sum.add(other.compensationJoules)
        var joined = self
        joined.total = EnergyTotal(
            joules: sum.value,
            meteredSeconds: total.meteredSeconds + other.total.meteredSeconds,
            gapSeconds: total.gapSeconds + other.total.gapSeconds,
            unverifiedSeconds: total.unverifiedSeconds + other.total.unverifiedSeconds
        )
        joined.compensationJoules = sum.compensation
        return joined
    }
}
