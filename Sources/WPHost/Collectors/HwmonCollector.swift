// SPDX-License-Identifier: MIT

import WPMetrics

/// One chip of the kernel's hardware monitoring (Documentation/hwmon/sysfs-interface.rst).
package struct SensorChip: Sendable, Hashable {
    /// One number of a sensor, such as `temp1_input`, in the unit of the file.
    package struct Value: Sendable, Hashable {
        /// The sensor, such as `temp1`.
        package let sensor: String
        /// The kind of sensor, such as `temp`.
        package let kind: String
        /// The element, such as `input`; empty for a file without one, such as `pwm1`.
        package let element: String
        package let value: Double
    }

    /// Identifies the chip across reboots: the bus and the position on it.
    package let chip: String
    /// The driver's name for it, such as `coretemp`; nil if the driver has none.
    package let name: String?
    /// The labels by sensor.
    package let labels: [String: String]
    /// Sorted by sensor and element.
    package let values: [Value]
}

/// Reads `/sys/class/hwmon`.
struct HwmonCollector: HostCollector {
    static let name = "hwmon"

    private static let kinds: Set<String> = [
        "vrm", "beep_enable", "update_interval", "in", "cpu", "fan", "pwm", "temp", "curr", "power", "energy",
        "humidity", "intrusion", "freq",
    ]
    private let excluded, excludedSensors: NameFilter

    init(_ configuration: HostConfiguration) {
        excluded = NameFilter(configuration.excludedChips, included: configuration.includedChips)
        excludedSensors = NameFilter(configuration.excludedSensors, included: configuration.includedSensors)
    }

    private struct File {
        let path: String
        let sensor: String
        let kind: String
        let element: String
    }

    private struct Entry {
        let directory: String
        var files: [File]
        var name: String?
        var chip = ""
    }

    mutating func collect(_ context: inout CollectionContext) -> [SensorChip]? {
        guard let directories = context.names(context.sys, in: "class/hwmon") else { return nil }
        let sys = context.sys
        let names = context.readAttributes(directories.map { sys.path("class/hwmon/\($0)/name") })
        var entries = zip(directories, names).map { directory, name in
            Entry(
                directory: directory,
                files: Self.files(in: "class/hwmon/\(directory)", sys),
                name: name.flatMap { $0.scanned { Self.clean($0.trimmed.string) } }
            )
        }
        Self.nameChips(&entries, sys)
        entries.removeAll { excluded.matches($0.chip) }
        for index in entries.indices {
            let chip = entries[index].chip
            entries[index].files.removeAll { excludedSensors.matches("\(chip);\($0.sensor)") }
        }
        var values = context.readAttributes(entries.flatMap { $0.files.map(\.path) })[...]
        return entries.map { entry in
            let own = values.prefix(entry.files.count)
            values = values.dropFirst(entry.files.count)
            return Self.chip(entry, own)
        }
    }

    static func addFamilies(of chips: [SensorChip], to families: inout HostFamilies) {
        for chip in chips {
            if let name = chip.name {
                let labels = ["chip", chip.chip, "chip_name", name]
                families.add("hwmon_chip_names", "The driver's name of a chip.", labels: labels, 1)
            }
            for (sensor, label) in chip.labels.sorted(by: { $0.key < $1.key }) {
                let labels = ["chip", chip.chip, "label", label, "sensor", sensor]
                families.add("hwmon_sensor_label", "What a sensor measures.", labels: labels, 1)
            }
            let sensorsWithBareFile = Set(chip.values.lazy.filter { $0.element.isEmpty }.map(\.sensor))
            for value in chip.values {
                let unit = SensorUnit(of: value, hasBareFile: sensorsWithBareFile.contains(value.sensor))
                // A clock rate is identified by its label.
                let sensor = value.kind == "freq" ? chip.labels[value.sensor] ?? value.sensor : value.sensor
                let labels = ["chip", chip.chip, "sensor", sensor]
                families.add(unit.name, unit.help, type: unit.type, labels: labels, value.value * unit.factor)
            }
        }
    }

    private static func chip(_ entry: Entry, _ contents: ArraySlice<[UInt8]?>) -> SensorChip {
        var labels: [String: String] = [:]
        var values: [SensorChip.Value] = []
        for (file, content) in zip(entry.files, contents) {
            guard let content else { continue }
            if file.element == "label" {
                labels[file.sensor] = content.scanned { $0.trimmed.string }
            } else if let value = content.scanned({ $0.trimmed.decimal }) {
                values.append(
                    SensorChip.Value(sensor: file.sensor, kind: file.kind, element: file.element, value: value)
                )
            }
        }
        values.sort { ($0.sensor, $0.element) < ($1.sensor, $1.element) }
        return SensorChip(chip: entry.chip, name: entry.name, labels: labels, values: values)
    }

    /// The files of sensors; older drivers have them in the directory of the device.
    private static func files(in directory: String, _ sys: FileReader) -> [File] {
        var files: [String: File] = [:]
        for folder in [directory, directory + "/device"] {
            for name in (try? sys.names(in: folder)) ?? [] where files[name] == nil {
                guard let (kind, number, element) = parts(of: name) else { continue }
                files[name] = File(
                    path: sys.path(folder + "/" + name),
                    sensor: kind + number,
                    kind: kind,
                    element: element
                )
            }
        }
        return files.values.sorted { $0.path < $1.path }
    }

    /// `temp1_input` split into kind, number and element. The number is 0 if the file has none, such as
    /// `update_interval`. Nil for a file that does not belong to a sensor.
    private static func parts(of file: String) -> (String, String, String)? {
        let bytes = file.utf8
        let kindEnd = bytes.firstIndex { $0.isDigit } ?? bytes.endIndex
        let kind = String(file[..<kindEnd])
        guard kinds.contains(kind) else { return nil }
        let numberEnd = bytes[kindEnd...].firstIndex { !$0.isDigit } ?? bytes.endIndex
        let rest = file[numberEnd...]
        guard rest.isEmpty || (rest.hasPrefix("_") && rest.utf8.count > 1) else { return nil }
        let number = String(file[kindEnd..<numberEnd])
        return (kind, number.isEmpty ? "0" : number, String(rest.dropFirst()))
    }

    /// Makes the names of chips unique.
    private static func nameChips(_ entries: inout [Entry], _ sys: FileReader) {
        for index in entries.indices {
            let directory = sys.path("class/hwmon/" + entries[index].directory)
            entries[index].chip = busAddress(directory) ?? entries[index].name ?? entries[index].directory
        }
        // A device may have several chips, such as a network card with several sensors.
        for suffix in [{ (entry: Entry) in entry.name }, { entry in entry.directory }] {
            let counts = Dictionary(entries.map { ($0.chip, 1) }, uniquingKeysWith: +)
            for index in entries.indices where counts[entries[index].chip] ?? 0 > 1 {
                guard let text = suffix(entries[index]) else { continue }
                entries[index].chip += "_" + text
            }
        }
    }

    /// The last two parts of the device's path; nil for a chip without a device.
    private static func busAddress(_ directory: String) -> String? {
        guard let path = SystemCalls.realPath(directory + "/device") else { return nil }
        let parts = path.split(separator: "/").suffix(2).map { clean(String($0)) }
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        return parts[0].isEmpty ? parts[1] : parts.joined(separator: "_")
    }

    /// The name in lower case, with `_` for all characters but letters, digits and `:`, and without `_` at either end.
    private static func clean(_ name: String) -> String {
        let mapped = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ":") ? $0 : "_" }
        var slice = mapped[...]
        while slice.first == "_" { slice = slice.dropFirst() }
        while slice.last == "_" { slice = slice.dropLast() }
        return String(slice)
    }
}

/// The family of a sensor's file, and the factor from the kernel's unit to the family's
/// (Documentation/hwmon/sysfs-interface.rst).
private struct SensorUnit {
    let name: String
    let factor: Double
    let type: MetricType
    let help: String

    init(of value: SensorChip.Value, hasBareFile: Bool) {
        var base = "hwmon_" + value.kind
        if value.element == "input" {
            if hasBareFile { base += "_input" }
        } else if !value.element.isEmpty {
            base += "_" + value.element
        }
        var (suffix, factor) = ("", 1.0)
        var isCounter = false
        switch value.kind {
        case "beep_enable": base = "hwmon_beep_enabled"
        case "vrm": base = "hwmon_voltage_regulator_version"
        case "update_interval": (base, factor) = ("hwmon_update_interval_seconds", 0.001)
        case _ where value.element == "fault" || value.element == "alarm": break
        case _ where value.element == "beep": suffix = "_enabled"
        case "in", "cpu": (suffix, factor) = ("_volts", 0.001)
        case "temp" where value.element != "type": (suffix, factor) = ("_celsius", 0.001)
        case "curr": (suffix, factor) = ("_amps", 0.001)
        case "energy": (suffix, factor, isCounter) = ("_joule_total", 1e-6, true)
        case "humidity": factor = 1e-6
        case "fan" where ["input", "min", "max", "target"].contains(value.element): suffix = "_rpm"
        case "power" where value.element == "accuracy": factor = 1e-6
        case "power" where value.element.hasPrefix("average_interval"): (suffix, factor) = ("_seconds", 0.001)
        case "power": (suffix, factor) = ("_watt", 1e-6)
        case "freq" where value.element == "input": (suffix, factor) = ("_freq_mhz", 1e-6)
        default: break
        }
        name = base + suffix
        self.factor = factor
        type = isCounter ? .counter : .gauge
        help = "Sensors of kind \(value.kind)" + (value.element.isEmpty ? "." : ": \(value.element).")
    }
}

extension HostSample {
    /// Sensors by chip.
    package var chips: [SensorChip]? { self[HwmonCollector.self] }
}
