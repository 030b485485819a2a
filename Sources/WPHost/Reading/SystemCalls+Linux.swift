// SPDX-License-Identifier: MIT

#if os(Linux)
import CLinux

extension SystemCalls {
    /// The synchronization of the kernel's clock (adjtimex(2), read-only); nil if unavailable.
    static var clockDiscipline: ClockDiscipline? {
        var clock = timex()
        let state = adjtimex(&clock)
        guard state >= 0 else { return nil }
        // Frequencies are in millionths, with 16 fractional bits.
        let partsPerMillion = 1_000_000.0 * 65536
        let unit = clock.status & CLINUX_STA_NANO != 0 ? 1e9 : 1e6
        return ClockDiscipline(
            isSynchronized: state != CLINUX_TIME_ERROR,
            status: Int(clock.status),
            offset: Double(clock.offset) / unit,
            maximumError: Double(clock.maxerror) / 1e6,
            estimatedError: Double(clock.esterror) / 1e6,
            frequencyRatio: 1 + Double(clock.freq) / partsPerMillion,
            loopTimeConstant: Int(clock.constant),
            tick: Double(clock.tick) / 1e6,
            atomicOffset: Int(clock.tai),
            pulse: ClockDiscipline.Pulse(
                frequency: Double(clock.ppsfreq) / partsPerMillion,
                stability: Double(clock.stabil) / partsPerMillion,
                jitter: Double(clock.jitter) / unit,
                shift: Int(clock.shift),
                jitterExceeded: Int(clock.jitcnt),
                calibrations: Int(clock.calcnt),
                errors: Int(clock.errcnt),
                stabilityExceeded: Int(clock.stbcnt)
            )
        )
    }
}
#else
extension SystemCalls {
    /// Nil: only Linux reports it.
    static var clockDiscipline: ClockDiscipline? { nil }
}
#endif
