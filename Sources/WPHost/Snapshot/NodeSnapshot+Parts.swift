// SPDX-License-Identifier: MIT

// Percentages range from 0 to 100, sizes are in bytes, rates per second.
extension NodeSnapshot {
    package struct CPU: Sendable, Hashable, Codable, SnapshotObject {
        package var usagePercent, userPercent, systemPercent, idlePercent, iowaitPercent: Double?
        /// The usage of each processor, by number.
        package var perCore: [Double]?
        package var load1, load5, load15: Double?
        package var model: String?
        package var cores, threads: Int?
        /// In MHz.
        package var frequency: Double?

        static let fields: [SnapshotField<CPU>] = [
            .init("usage_percent", \.usagePercent), .init("user_percent", \.userPercent),
            .init("system_percent", \.systemPercent), .init("idle_percent", \.idlePercent),
            .init("iowait_percent", \.iowaitPercent), .init("per_core", older: "core_usages", \.perCore),
            .init("load_1", older: "load_avg_1", \.load1), .init("load_5", older: "load_avg_5", \.load5),
            .init("load_15", older: "load_avg_15", \.load15), .init("model", \.model),
            .init("cores", older: "core_count", \.cores), .init("threads", \.threads), .init("frequency", \.frequency),
        ]

        package init() {}
    }

    package struct Memory: Sendable, Hashable, Codable, SnapshotObject {
        package var total, used, available, free: UInt64?
        package var usagePercent: Double?
        package var cached, buffers: UInt64?
        package var swapTotal, swapUsed, swapFree: UInt64?
        package var swapPercent: Double?

        static let fields: [SnapshotField<Memory>] = [
            .init("total", older: "total_bytes", \.total), .init("used", older: "used_bytes", \.used),
            .init("available", older: "available_bytes", \.available), .init("free", \.free),
            .init("usage_percent", \.usagePercent), .init("cached", \.cached), .init("buffers", \.buffers),
            .init("swap_total", older: "swap_total_bytes", \.swapTotal),
            .init("swap_used", older: "swap_used_bytes", \.swapUsed), .init("swap_free", \.swapFree),
            .init("swap_percent", older: "swap_usage_percent", \.swapPercent),
        ]

        package init() {}
    }

    package struct Temperature: Sendable, Hashable, Codable, SnapshotObject {
        /// The hottest sensor of a processor, in degrees Celsius.
        package var cpu: Double?
        /// The maximum of that sensor.
        package var cpuMaximum: Double?
        package var sensors: [Sensor] = []

        static let fields: [SnapshotField<Temperature>] = [
            .init("cpu_temp", \.cpu), .init("cpu_temp_max", \.cpuMaximum), .init(always: "sensors", \.sensors),
        ]

        init() {}

        package init(cpu: Double?, cpuMaximum: Double?, sensors: [Sensor]) {
            (self.cpu, self.cpuMaximum, self.sensors) = (cpu, cpuMaximum, sensors)
        }
    }

    /// A temperature sensor. Values are in degrees Celsius.
    package struct Sensor: Sendable, Hashable, Codable, SnapshotObject {
        package var name = ""
        package var label: String?
        package var current, max, critical: Double?

        static let fields: [SnapshotField<Sensor>] = [
            .init(always: "name", \.name), .init("label", \.label), .init("current", older: "temp", \.current),
            .init("max", older: "high", \.max), .init("critical", \.critical),
        ]

        init() {}

        package init(name: String, label: String?, current: Double?, max: Double?, critical: Double?) {
            (self.name, self.label) = (name, label)
            (self.current, self.max, self.critical) = (current, max, critical)
        }
    }
}
