// SPDX-License-Identifier: MIT

package import WPModel

extension EnergyRecord {
    /// This record plus the total of another, for a device that returned under another identifier.
    ///
    /// Energy is added exactly. The last sample is kept, so that the time between the two records is not counted.
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
