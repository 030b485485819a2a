// SPDX-License-Identifier: MIT

extension NodeSnapshot {
    /// Unconnected sensors report implausible values: those outside this range are omitted.
    private static let plausible = -100.0...200.0

    /// The temperatures of hwmon chips, or of thermal zones if there are no chips.
    static func temperature(_ sample: HostSample) -> Temperature? {
        let readings = (sample.chips ?? []).flatMap(sensors) + zones(sample.thermal)
        guard !readings.isEmpty else { return nil }
        let chips = ["k10temp", "coretemp", "zenpower", "cpu_thermal", "cpu-thermal", "soc_thermal", "soc-thermal"]
        let zones = chips + ["x86_pkg_temp", "acpitz"]
        func hottest(_ readings: [Reading], _ names: [String]) -> Sensor? {
            readings.filter { names.contains($0.kind) }.map(\.sensor)
                .max { ($0.current ?? -.infinity) < ($1.current ?? -.infinity) }
        }
        let cpu =
            hottest(readings.filter { !$0.isZone }, chips) ?? hottest(readings.filter(\.isZone), zones)
        let hasChips = readings.contains { !$0.isZone }
        return Temperature(
            cpu: cpu?.current,
            cpuMaximum: cpu?.max ?? cpu?.critical,
            sensors: readings.filter { $0.isZone != hasChips }.map(\.sensor)
        )
    }

    private struct Reading {
        let kind: String
        let isZone: Bool
        let sensor: Sensor
    }

    private static func sensors(_ chip: SensorChip) -> [Reading] {
        var elements: [String: [String: Double]] = [:]
        for value in chip.values where value.kind == "temp" {
            elements[value.sensor, default: [:]][value.element] = value.value / 1000
        }
        let name = chip.name ?? chip.chip
        return elements.sorted { $0.key < $1.key }.compactMap { sensor, values in
            guard let current = values["input"], plausible.contains(current) else { return nil }
            let reading = Sensor(
                name: name,
                label: chip.labels[sensor] ?? sensor,
                current: current,
                max: values["max"].flatMap { plausible.contains($0) ? $0 : nil },
                critical: values["crit"].flatMap { plausible.contains($0) ? $0 : nil }
            )
            return Reading(kind: name, isZone: false, sensor: reading)
        }
    }

    private static func zones(_ sample: ThermalSample?) -> [Reading] {
        (sample?.zones ?? []).compactMap { zone in
            guard let celsius = zone.celsius, plausible.contains(celsius) else { return nil }
            let reading = Sensor(
                name: zone.type,
                label: "thermal_zone" + zone.zone,
                current: celsius,
                max: nil,
                critical: nil
            )
            return Reading(kind: zone.type, isZone: true, sensor: reading)
        }
    }
}
