// SPDX-License-Identifier: MIT

/// How well the clock is kept, as adjtimex(2) says.
struct ClockDiscipline: Sendable, Hashable {
    /// Whether the clock is synchronized: the call did not answer `TIME_ERROR`.
    var isSynchronized: Bool
    /// The bits of `status`.
    var status: Int
    /// Seconds that the clock is off, and how much it may be.
    var offset, maximumError, estimatedError: Double
    /// What the frequency is multiplied by.
    var frequencyRatio: Double
    var loopTimeConstant: Int
    /// Seconds between two ticks.
    var tick: Double
    /// Seconds between international atomic time and UTC.
    var atomicOffset: Int
    /// The signal of a pulse per second, where there is one.
    var pulse: Pulse

    struct Pulse: Sendable, Hashable {
        /// Hertz.
        var frequency, stability: Double
        /// Seconds.
        var jitter: Double
        var shift, jitterExceeded, calibrations, errors, stabilityExceeded: Int
    }
}

/// Asks the kernel's clock how well it is kept. It is that of the machine whatever procfs is read.
struct ClockCollector: TableCollector {
    static let name = HostCollectorName.timex

    /// Asks; nil where that is not allowed, as in some containers, or not known.
    var read: @Sendable () -> ClockDiscipline? = { SystemCalls.clockDiscipline }

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let clock = read() else { return nil }
        var tables = HostTables()
        func gauge(_ name: String, _ help: String, _ value: Double) { tables.add("timex_" + name, help, value) }
        func counter(_ name: String, _ help: String, _ value: Int) {
            tables.add("timex_" + name, help, kind: .counter, Double(value))
        }
        gauge("sync_status", "Whether the clock is synchronized.", clock.isSynchronized ? 1 : 0)
        gauge("status", "The bits of the clock's status.", Double(clock.status))
        gauge("offset_seconds", "How far the clock is from its reference.", clock.offset)
        gauge("maxerror_seconds", "Maximum error of the clock.", clock.maximumError)
        gauge("estimated_error_seconds", "Estimated error of the clock.", clock.estimatedError)
        gauge("frequency_adjustment_ratio", "What the clock's frequency is multiplied by.", clock.frequencyRatio)
        gauge("loop_time_constant", "Time constant of the phase-locked loop.", Double(clock.loopTimeConstant))
        gauge("tick_seconds", "Time between two ticks.", clock.tick)
        gauge("tai_offset_seconds", "Offset of international atomic time.", Double(clock.atomicOffset))
        let pulse = clock.pulse
        gauge("pps_frequency_hertz", "Frequency by pulses per second.", pulse.frequency)
        gauge("pps_stability_hertz", "Mean change of the frequency by pulses per second.", pulse.stability)
        gauge("pps_jitter_seconds", "Jitter of pulses per second.", pulse.jitter)
        gauge("pps_shift_seconds", "Interval of calibration by pulses per second.", Double(pulse.shift))
        counter("pps_jitter_total", "Pulses whose jitter was too large.", pulse.jitterExceeded)
        counter("pps_calibration_total", "Intervals of calibration.", pulse.calibrations)
        counter("pps_error_total", "Errors of calibration.", pulse.errors)
        counter("pps_stability_exceeded_total", "Calibrations that were not stable.", pulse.stabilityExceeded)
        return tables.tables
    }
}

/// Reads `/sys/devices/system/clocksource`, and asks for the time zone.
struct ClockSourceCollector: TableCollector {
    static let name = HostCollectorName.time

    private static let directory = "devices/system/clocksource"

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        var tables = HostTables()
        if let zone = SystemCalls.timeZone {
            tables.add(
                "time_zone_offset_seconds",
                "Offset of the time zone.",
                labels: ["time_zone", zone.name],
                Double(zone.offset)
            )
        }
        let names = (context.names(context.sys, in: Self.directory) ?? []).filter { $0.hasPrefix("clocksource") }
        let files = ["available_clocksource", "current_clocksource"]
        let sources = context.readAttributes(of: names, in: Self.directory, files)
        for (index, source) in sources.enumerated() {
            let device = String(index)
            for name in (source.values[0] ?? "").split(separator: " ") {
                tables.add(
                    "time_clocksource_available_info",
                    "Sources that the clock can have.",
                    labels: ["clocksource", String(name), "device", device],
                    1
                )
            }
            guard let current = source.values[1] else { continue }
            tables.add(
                "time_clocksource_current_info",
                "The source that the clock has.",
                labels: ["clocksource", current, "device", device],
                1
            )
        }
        return tables.tables
    }
}
