// SPDX-License-Identifier: MIT

/// A quantity that buckets hold. The raw value is its number in the store and never changes.
package enum HistoryQuantity: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    /// Busy processor time of a node, in percent.
    case cpuUsage = 1
    /// Memory in use, in percent.
    case memoryUsage = 2
    /// The primary file system in use, in percent.
    case diskUsage = 3
    /// Bytes read from the primary disk, per second.
    case diskRead = 4
    /// Bytes written to the primary disk, per second.
    case diskWrite = 5
    /// Bytes received by the primary interface, per second.
    case networkReceive = 6
    /// Bytes sent by the primary interface, per second.
    case networkSend = 7
    /// The processor's temperature, in degrees Celsius.
    case cpuTemperature = 8
    /// The load average of one minute.
    case load1 = 9

    /// A UPS's load, in percent of its rating.
    case loadPercent = 32
    /// A UPS's load, in watts.
    case loadWatts = 33
    /// The battery's charge, in percent.
    case batteryPercent = 34
    /// The runtime that is left, in seconds.
    case batteryRuntime = 35
    /// The input's voltage, in volts.
    case inputVolts = 36
    /// The output's voltage, in volts.
    case outputVolts = 37
    /// The UPS's temperature, in degrees Celsius.
    case temperature = 38
    /// The battery's voltage, in volts.
    case batteryVolts = 39
    /// Whether the battery feeds the load: the average is the share of the time, from 0 to 1.
    case onBattery = 40

    /// Energy that the load has drawn, in watt-hours: a counter.
    case energy = 64

    /// Whether buckets hold how much it grew, rather than an average.
    package var isCounter: Bool { rawValue >= 64 }

    /// The name in JSON and CSV.
    package var name: String {
        switch self {
        case .cpuUsage: "cpu_usage"
        case .memoryUsage: "memory_usage"
        case .diskUsage: "disk_usage"
        case .diskRead: "disk_io_read"
        case .diskWrite: "disk_io_write"
        case .networkReceive: "network_rx"
        case .networkSend: "network_tx"
        case .cpuTemperature: "cpu_temp"
        case .load1: "load_1"
        case .loadPercent: "load_percent"
        case .loadWatts: "load_watts"
        case .batteryPercent: "battery_percent"
        case .batteryRuntime: "battery_runtime_seconds"
        case .inputVolts: "input_volts"
        case .outputVolts: "output_volts"
        case .temperature: "temperature_celsius"
        case .batteryVolts: "battery_volts"
        case .onBattery: "on_battery"
        case .energy: "energy_watt_hours"
        }
    }

    /// The quantities of a kind of subject, in the order in which they are written.
    package static func all(of kind: HistorySubject.Kind) -> [Self] {
        allCases.filter { kind == .node ? $0.rawValue < 32 : $0.rawValue >= 32 }
    }

    /// Orders by number.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
