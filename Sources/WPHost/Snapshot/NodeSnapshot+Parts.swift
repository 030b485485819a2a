// SPDX-License-Identifier: MIT

// Percentages range from 0 to 100, sizes are in bytes, rates per second. Properties are named like the JSON keys, in
// Swift's style.
extension NodeSnapshot {
    package struct CPU: Sendable, Hashable, Codable {
        package var usagePercent, userPercent, systemPercent, idlePercent, iowaitPercent: Double?
        /// The usage of each processor, by number.
        package var perCore: [Double]?
        package var load1, load5, load15: Double?
        package var model: String?
        package var cores, threads: Int?
        /// In MHz.
        package var frequency: Double?

        package init() {}

        private enum CodingKeys: String, CodingKey {
            case usagePercent = "usage_percent", userPercent = "user_percent", systemPercent = "system_percent"
            case idlePercent = "idle_percent", iowaitPercent = "iowait_percent", perCore = "per_core"
            case load1 = "load_1", load5 = "load_5", load15 = "load_15"
            case model, cores, threads, frequency
        }

        private enum LegacyKeys: String, CodingKey {
            case cores = "core_count", perCore = "core_usages"
            case load1 = "load_avg_1", load5 = "load_avg_5", load15 = "load_avg_15"
        }

        package init(from decoder: any Decoder) throws {
            let values = try TwoFormatContainer<CodingKeys, LegacyKeys>(decoder)
            usagePercent = try values.read(.usagePercent)
            userPercent = try values.read(.userPercent)
            systemPercent = try values.read(.systemPercent)
            idlePercent = try values.read(.idlePercent)
            iowaitPercent = try values.read(.iowaitPercent)
            perCore = try values.read(.perCore, .perCore)
            load1 = try values.read(.load1, .load1)
            load5 = try values.read(.load5, .load5)
            load15 = try values.read(.load15, .load15)
            model = try values.read(.model)
            cores = try values.read(.cores, .cores)
            threads = try values.read(.threads)
            frequency = try values.read(.frequency)
        }
    }

    package struct Memory: Sendable, Hashable, Codable {
        package var total, used, available, free: UInt64?
        package var usagePercent: Double?
        package var cached, buffers: UInt64?
        package var swapTotal, swapUsed, swapFree: UInt64?
        package var swapPercent: Double?

        package init() {}

        private enum CodingKeys: String, CodingKey {
            case total, used, available, free, cached, buffers
            case usagePercent = "usage_percent", swapTotal = "swap_total", swapUsed = "swap_used"
            case swapFree = "swap_free", swapPercent = "swap_percent"
        }

        private enum LegacyKeys: String, CodingKey {
            case total = "total_bytes", used = "used_bytes", available = "available_bytes"
            case swapTotal = "swap_total_bytes", swapUsed = "swap_used_bytes", swapPercent = "swap_usage_percent"
        }

        package init(from decoder: any Decoder) throws {
            let values = try TwoFormatContainer<CodingKeys, LegacyKeys>(decoder)
            total = try values.read(.total, .total)
            used = try values.read(.used, .used)
            available = try values.read(.available, .available)
            free = try values.read(.free)
            usagePercent = try values.read(.usagePercent)
            cached = try values.read(.cached)
            buffers = try values.read(.buffers)
            swapTotal = try values.read(.swapTotal, .swapTotal)
            swapUsed = try values.read(.swapUsed, .swapUsed)
            swapFree = try values.read(.swapFree)
            swapPercent = try values.read(.swapPercent, .swapPercent)
        }
    }

    package struct Temperature: Sendable, Hashable, Codable {
        /// The hottest sensor of a processor, in degrees Celsius.
        package var cpu: Double?
        /// The maximum of that sensor.
        package var cpuMaximum: Double?
        package var sensors: [Sensor]

        package init(cpu: Double?, cpuMaximum: Double?, sensors: [Sensor]) {
            (self.cpu, self.cpuMaximum, self.sensors) = (cpu, cpuMaximum, sensors)
        }

        private enum CodingKeys: String, CodingKey {
            case cpu = "cpu_temp", cpuMaximum = "cpu_temp_max", sensors
        }

        package init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            cpu = try values.decodeIfPresent(Double.self, forKey: .cpu)
            cpuMaximum = try values.decodeIfPresent(Double.self, forKey: .cpuMaximum)
            sensors = try values.decodeIfPresent([Sensor].self, forKey: .sensors) ?? []
        }
    }

    /// In degrees Celsius.
    package struct Sensor: Sendable, Hashable, Codable {
        package var name: String
        package var label: String?
        package var current, max, critical: Double?

        package init(name: String, label: String?, current: Double?, max: Double?, critical: Double?) {
            (self.name, self.label) = (name, label)
            (self.current, self.max, self.critical) = (current, max, critical)
        }

        private enum CodingKeys: String, CodingKey {
            case name, label, current, max, critical
        }

        private enum LegacyKeys: String, CodingKey {
            case current = "temp", max = "high"
        }

        package init(from decoder: any Decoder) throws {
            let values = try TwoFormatContainer<CodingKeys, LegacyKeys>(decoder)
            name = try values.read(.name) ?? ""
            label = try values.read(.label)
            current = try values.read(.current, .current)
            max = try values.read(.max, .max)
            critical = try values.read(.critical)
        }
    }
}

/// A JSON object whose keys may be those of either format.
struct TwoFormatContainer<Keys: CodingKey, LegacyKeys: CodingKey> {
    private let values: KeyedDecodingContainer<Keys>
    private let older: KeyedDecodingContainer<LegacyKeys>

    init(_ decoder: any Decoder) throws {
        values = try decoder.container(keyedBy: Keys.self)
        older = try decoder.container(keyedBy: LegacyKeys.self)
    }

    func read<Value: Decodable>(_ key: Keys, _ olderKey: LegacyKeys? = nil) throws -> Value? {
        if let value = try values.decodeIfPresent(Value.self, forKey: key) { return value }
        return try olderKey.flatMap { try older.decodeIfPresent(Value.self, forKey: $0) }
    }
}
