// SPDX-License-Identifier: MIT

/// The clock rates of one processor.
package struct CPUFrequency: Sendable, Hashable {
    let number: Int
    /// The contents of the collector's files, in the same order; nil for one that the driver does not provide.
    let contents: [String?]

    /// The current rate in hertz, as the governor sets it or else as the hardware reports it.
    var current: Double? {
        [contents[3], contents[0]].lazy.compactMap { $0.flatMap { UInt64($0) } }.first.map { Double($0) * 1000 }
    }
}

/// Reads `/sys/devices/system/cpu/cpuN/cpufreq`.
struct CPUFreqCollector: PlainCollector {
    static let name = "cpufreq"

    private static let directory = "devices/system/cpu"
    /// In kilohertz.
    private static let files = NumberFile.list(
        in: "cpufreq",
        factor: 1000,
        [
            ("cpuinfo_cur_freq", "frequency_hertz", "Clock rate of a processor, by its hardware."),
            ("cpuinfo_min_freq", "frequency_min_hertz", "Lowest clock rate of a processor."),
            ("cpuinfo_max_freq", "frequency_max_hertz", "Highest clock rate of a processor."),
            ("scaling_cur_freq", "scaling_frequency_hertz", "Clock rate of a processor, by its governor."),
            ("scaling_min_freq", "scaling_frequency_min_hertz", "Lowest clock rate that the governor chooses."),
            ("scaling_max_freq", "scaling_frequency_max_hertz", "Highest clock rate that the governor chooses."),
        ]
    )

    mutating func collect(_ context: inout CollectionContext) -> [CPUFrequency]? {
        let names = (context.names(context.sys, in: Self.directory) ?? []).numbered("cpu")
        let files = Self.files.map(\.file)
        return context.readAttributes(of: names, in: Self.directory, files).compactMap { name, values in
            guard let number = Int(name.dropFirst(3)), values.contains(where: { $0 != nil }) else { return nil }
            return CPUFrequency(number: number, contents: values)
        }
    }

    static func addFamilies(of frequencies: [CPUFrequency], to families: inout HostFamilies) {
        for frequency in frequencies {
            let labels = ["cpu", String(frequency.number)]
            families.add(files, prefix: "cpu_", contents: frequency.contents, labels: labels)
        }
    }
}

extension HostSample {
    /// Clock rates of the processors.
    package var frequencies: [CPUFrequency]? { self[CPUFreqCollector.self] }
}
