// SPDX-License-Identifier: MIT

/// Thermal zones and cooling devices (Documentation/driver-api/thermal/sysfs-api.rst).
package struct ThermalSample: Sendable, Hashable {
    /// A place whose temperature the kernel watches.
    package struct Zone: Sendable, Hashable {
        /// The kernel's number of it.
        package let zone: String
        /// Such as `x86_pkg_temp`.
        package let type: String
        /// In degrees Celsius; nil when the sensor does not answer.
        package let celsius: Double?
    }

    /// What can cool: a fan, or a processor that can be slowed down.
    package struct CoolingDevice: Sendable, Hashable {
        /// The kernel's number of it.
        package let name: String
        package let type: String
        /// How much it cools: 0 to ``maximum``. Nil when it does not answer.
        package let current: Int64?
        package let maximum: Int64?
    }

    package var zones: [Zone] = []
    package var coolingDevices: [CoolingDevice] = []
}

/// Reads `/sys/class/thermal`.
struct ThermalCollector: HostCollector {
    static let name = HostCollectorName.thermalZone
    static let part: HostPart<ThermalSample> = \.thermal

    mutating func collect(_ context: inout CollectionContext) -> ThermalSample? {
        let names = context.names(context.sys, in: "class/thermal") ?? []
        var sample = ThermalSample()
        let zones = Self.numbered(names, "thermal_zone")
        for (zone, values) in read(zones, "thermal_zone", ["type", "temp"], &context) {
            guard let type = values[0]?.scanned({ $0.trimmed.string }) else { continue }
            let temperature = values[1]?.scanned { $0.trimmed.signed }
            sample.zones.append(
                ThermalSample.Zone(
                    zone: zone,
                    type: type,
                    celsius: temperature.flatMap { $0 }.map { Double($0) / 1000 }
                )
            )
        }
        let devices = Self.numbered(names, "cooling_device")
        for (name, values) in read(devices, "cooling_device", ["type", "cur_state", "max_state"], &context) {
            guard let type = values[0]?.scanned({ $0.trimmed.string }) else { continue }
            sample.coolingDevices.append(
                ThermalSample.CoolingDevice(
                    name: name,
                    type: type,
                    current: values[1].flatMap { $0.scanned { $0.trimmed.signed } },
                    maximum: values[2].flatMap { $0.scanned { $0.trimmed.signed } }
                )
            )
        }
        return sample
    }

    private static func numbered(_ names: [String], _ prefix: String) -> [String] {
        names.compactMap { name in
            name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
        }.sorted().map(String.init)
    }

    private func read(
        _ numbers: [String],
        _ prefix: String,
        _ files: [String],
        _ context: inout CollectionContext
    ) -> [(String, [[UInt8]?])] {
        let sys = context.sys
        let values = context.readAttributes(
            numbers.flatMap { number in files.map { sys.path("class/thermal/\(prefix)\(number)/\($0)") } }
        )
        return numbers.enumerated().map { index, number in
            (number, Array(values[(index * files.count)..<((index + 1) * files.count)]))
        }
    }
}
