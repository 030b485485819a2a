// SPDX-License-Identifier: MIT

/// Thermal zones and cooling devices (Documentation/driver-api/thermal/sysfs-api.rst).
package struct ThermalSample: Sendable, Hashable {
    /// A location whose temperature the kernel monitors.
    package struct Zone: Sendable, Hashable {
        /// The kernel's number.
        package let zone: String
        /// The zone's type, such as `x86_pkg_temp`.
        package let type: String
        /// In degrees Celsius; nil if the sensor does not answer.
        package let celsius: Double?
    }

    /// A fan, or a processor that can be throttled.
    package struct CoolingDevice: Sendable, Hashable {
        /// The kernel's number.
        package let name: String
        package let type: String
        /// The cooling state: 0 to ``maximum``. Nil if the device does not answer.
        package let current: Int64?
        package let maximum: Int64?
    }

    package var zones: [Zone] = []
    package var coolingDevices: [CoolingDevice] = []
}

/// Reads `/sys/class/thermal`.
struct ThermalZoneCollector: PlainCollector {
    static let name = "thermal_zone"

    mutating func collect(_ context: inout CollectionContext) -> ThermalSample? {
        let directory = "class/thermal"
        let names = context.names(context.sys, in: directory) ?? []
        var sample = ThermalSample()
        let zones = names.numbered("thermal_zone")
        for (name, values) in context.readAttributes(of: zones, in: directory, ["type", "temp"]) {
            guard let type = values[0] else { continue }
            let celsius = values[1].flatMap { Int64($0) }.map { Double($0) / 1000 }
            sample.zones.append(.init(zone: String(name.dropFirst(12)), type: type, celsius: celsius))
        }
        let devices = names.numbered("cooling_device")
        for (name, values) in context.readAttributes(of: devices, in: directory, ["type", "cur_state", "max_state"]) {
            guard let type = values[0] else { continue }
            sample.coolingDevices.append(
                .init(
                    name: String(name.dropFirst(14)),
                    type: type,
                    current: values[1].flatMap { Int64($0) },
                    maximum: values[2].flatMap { Int64($0) }
                )
            )
        }
        return sample
    }

    static func addFamilies(of sample: ThermalSample, to families: inout HostFamilies) {
        for zone in sample.zones {
            let help = "Temperature of a thermal zone in degrees Celsius."
            families.add("thermal_zone_temp", help, labels: ["type", zone.type, "zone", zone.zone], zone.celsius)
        }
        for device in sample.coolingDevices {
            let labels = ["name", device.name, "type", device.type]
            let help = "Cooling state of a device; 0 is off."
            families.add("cooling_device_cur_state", help, labels: labels, device.current)
            let maximumHelp = "Maximum cooling state of a device."
            families.add("cooling_device_max_state", maximumHelp, labels: labels, device.maximum)
        }
    }
}

extension HostSample {
    /// Thermal zones and cooling devices.
    package var thermal: ThermalSample? { self[ThermalZoneCollector.self] }
}
