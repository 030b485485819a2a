// SPDX-License-Identifier: MIT

/// The synchronization of the clock, as adjtimex(2) reports it.
struct ClockDiscipline: Sendable, Hashable {
    /// Whether the clock is synchronized: the call did not return `TIME_ERROR`.
    var isSynchronized: Bool
    /// The bits of `status`.
    var status: Int
    /// The offset of the clock and its errors in seconds.
    var offset, maximumError, estimatedError: Double
    /// The frequency adjustment factor.
    var frequencyRatio: Double
    var loopTimeConstant: Int
    /// Seconds between two ticks.
    var tick: Double
    /// Seconds between international atomic time and UTC.
    var atomicOffset: Int
    /// The pulse-per-second signal, if there is one.
    var pulse: Pulse

    struct Pulse: Sendable, Hashable {
        /// Hertz.
        var frequency, stability: Double
        /// Seconds.
        var jitter: Double
        var shift, jitterExceeded, calibrations, errors, stabilityExceeded: Int
    }
}

/// Reads the synchronization of the machine's clock: adjtimex(2), which does not depend on procfs.
struct TimexCollector: PlainCollector {
    static let name = "timex"

    /// Calls adjtimex(2); nil if it is not permitted, as in some containers, or unavailable.
    var read: @Sendable () -> ClockDiscipline? = { SystemCalls.clockDiscipline }

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let clock = read() else { return nil }
        var families = HostFamilies()
        func gauge(_ name: String, _ help: String, _ value: Double) { families.add("timex_" + name, help, value) }
        func counter(_ name: String, _ help: String, _ value: Int) {
            families.add("timex_" + name, help, Double(value))
        }
        gauge("sync_status", "Whether the clock is synchronized.", clock.isSynchronized ? 1 : 0)
        gauge("status", "The bits of the clock's status.", Double(clock.status))
        gauge("offset_seconds", "Offset of the clock from its reference.", clock.offset)
        gauge("maxerror_seconds", "Maximum error of the clock.", clock.maximumError)
        gauge("estimated_error_seconds", "Estimated error of the clock.", clock.estimatedError)
        gauge("frequency_adjustment_ratio", "Factor by which the clock's frequency is adjusted.", clock.frequencyRatio)
        gauge("loop_time_constant", "Time constant of the phase-locked loop.", Double(clock.loopTimeConstant))
        gauge("tick_seconds", "Time between two ticks.", clock.tick)
        gauge("tai_offset_seconds", "Offset of International Atomic Time from UTC.", Double(clock.atomicOffset))
        let pulse = clock.pulse
        gauge("pps_frequency_hertz", "Frequency by pulses per second.", pulse.frequency)
        gauge("pps_stability_hertz", "Mean change of the frequency by pulses per second.", pulse.stability)
        gauge("pps_jitter_seconds", "Jitter of pulses per second.", pulse.jitter)
        gauge("pps_shift_seconds", "Interval of calibration by pulses per second.", Double(pulse.shift))
        counter("pps_jitter_total", "Pulses whose jitter was too large.", pulse.jitterExceeded)
        counter("pps_calibration_total", "Intervals of calibration.", pulse.calibrations)
        counter("pps_error_total", "Errors of calibration.", pulse.errors)
        counter("pps_stability_exceeded_total", "Calibrations that were not stable.", pulse.stabilityExceeded)
        return families
    }
}
