// SPDX-License-Identifier: MIT

/// The clock rates of one processor, in hertz; nil if the driver does not report it.
package struct CPUFrequency: Sendable, Hashable {
    package let number: Int
    /// As the hardware reports it.
    package let current, minimum, maximum: Double?
    /// As the kernel's governor sets it.
    package let scalingCurrent, scalingMinimum, scalingMaximum: Double?
}

/// Reads `/sys/devices/system/cpu/cpuN/cpufreq`.
struct CPUFreqCollector: PlainCollector {
    static let name = "cpufreq"

    private static let directory = "devices/system/cpu"
    private static let files = [
        "cpuinfo_cur_freq", "cpuinfo_min_freq", "cpuinfo_max_freq", "scaling_cur_freq", "scaling_min_freq",
        "scaling_max_freq",
    ].map { "cpufreq/" + $0 }

    mutating func collect(_ context: inout CollectionContext) -> [CPUFrequency]? {
        let names = (context.names(context.sys, in: Self.directory) ?? []).numbered("cpu")
        return context.readAttributes(of: names, in: Self.directory, Self.files).compactMap { name, values in
            // In kilohertz.
            let hertz = values.map { $0.flatMap { UInt64($0) }.map { Double($0) * 1000 } }
            guard let number = Int(name.dropFirst(3)), hertz.contains(where: { $0 != nil }) else { return nil }
            return CPUFrequency(
                number: number,
                current: hertz[0],
                minimum: hertz[1],
                maximum: hertz[2],
                scalingCurrent: hertz[3],
                scalingMinimum: hertz[4],
                scalingMaximum: hertz[5]
            )
        }
    }

    static func addFamilies(of frequencies: [CPUFrequency], to families: inout HostFamilies) {
        for frequency in frequencies {
            func add(_ name: String, _ help: String, _ hertz: Double?) {
                families.add("cpu_" + name, help, labels: ["cpu", String(frequency.number)], hertz)
            }
            add("frequency_hertz", "Clock rate of a processor, by its hardware.", frequency.current)
            add("frequency_min_hertz", "Lowest clock rate of a processor.", frequency.minimum)
            add("frequency_max_hertz", "Highest clock rate of a processor.", frequency.maximum)
            add("scaling_frequency_hertz", "Clock rate of a processor, by its governor.", frequency.scalingCurrent)
            add("scaling_frequency_min_hertz", "Lowest clock rate that the governor chooses.", frequency.scalingMinimum)
            add(
                "scaling_frequency_max_hertz",
                "Highest clock rate that the governor chooses.",
                frequency.scalingMaximum
            )
        }
    }
}

extension HostSample {
    /// Clock rates of the processors.
    package var frequencies: [CPUFrequency]? { self[CPUFreqCollector.self] }
}
