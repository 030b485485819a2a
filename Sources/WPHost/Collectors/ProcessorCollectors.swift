// SPDX-License-Identifier: MIT

/// The clock rates of one processor, in hertz; nil for what its driver does not say.
package struct CPUFrequency: Sendable, Hashable {
    package let number: Int
    /// As the hardware says.
    package let current, minimum, maximum: Double?
    /// As the kernel's governor has it.
    package let scalingCurrent, scalingMinimum, scalingMaximum: Double?
}

/// Reads `/sys/devices/system/cpu/cpuN/cpufreq`.
struct CPUFrequencyCollector: HostCollector {
    static let name = HostCollectorName.cpufreq
    static let part: HostPart<[CPUFrequency]> = \.frequencies

    private static let directory = "devices/system/cpu"
    private static let files = [
        "cpuinfo_cur_freq", "cpuinfo_min_freq", "cpuinfo_max_freq", "scaling_cur_freq", "scaling_min_freq",
        "scaling_max_freq",
    ]
    private var paths: [Int: [String]] = [:]

    mutating func collect(_ context: inout CollectionContext) -> [CPUFrequency]? {
        let names = context.names(context.sys, in: Self.directory) ?? []
        let numbers = names.compactMap { $0.hasPrefix("cpu") ? Int($0.dropFirst(3)) : nil }.sorted()
        let sys = context.sys
        for number in numbers where paths[number] == nil {
            paths[number] = Self.files.map { sys.path("\(Self.directory)/cpu\(number)/cpufreq/\($0)") }
        }
        let values = context.readAttributes(numbers.flatMap { paths[$0] ?? [] })
        // In kilohertz.
        let hertz = values.map { bytes in bytes.flatMap { $0.scanned { $0.trimmed.unsigned } }.map { Double($0) * 1000 }
        }
        let frequencies = numbers.enumerated().compactMap { index, number -> CPUFrequency? in
            let own = hertz[(index * Self.files.count)..<((index + 1) * Self.files.count)]
            guard own.contains(where: { $0 != nil }) else { return nil }
            let at = own.startIndex
            return CPUFrequency(
                number: number,
                current: own[at],
                minimum: own[at + 1],
                maximum: own[at + 2],
                scalingCurrent: own[at + 3],
                scalingMinimum: own[at + 4],
                scalingMaximum: own[at + 5]
            )
        }
        return frequencies
    }
}

/// What the processors are.
package struct ProcessorInfo: Sendable, Hashable {
    /// The maker's name of the model; nil when the kernel does not say it, as on some ARM machines.
    package internal(set) var model: String?
    /// Physical cores; nil when the kernel does not distinguish cores from threads.
    package internal(set) var cores: Int?
    /// What the kernel calls processors.
    package internal(set) var threads = 0
    /// The mean clock rate in MHz when it was last read, which is once in a minute; nil when the kernel does not say it.
    package internal(set) var megahertz: Double?
}

/// Reads `/proc/cpuinfo`, once in a minute: on a machine of many processors the file is long, and makes the kernel ask
/// each of them for its clock rate.
struct ProcessorCollector: HostCollector {
    static let name = HostCollectorName.cpuinfo
    static let part: HostPart<ProcessorInfo> = \.processor

    private static let interval = 60.0
    private var last: (time: HostTime, info: ProcessorInfo)?

    mutating func collect(_ context: inout CollectionContext) -> ProcessorInfo? {
        if let last, context.now.seconds(since: last.time) ?? 0 < Self.interval { return last.info }
        let info = context.read(context.proc, "cpuinfo") { Self.info($0) }
        guard let info, info.threads > 0 else { return nil }
        last = (context.now, info)
        return info
    }

    private static func info(_ bytes: Bytes) -> ProcessorInfo {
        var info = ProcessorInfo()
        var cores: Set<[UInt64]> = []
        var package: UInt64 = 0
        var rates: [Double] = []
        var scanner = ByteScanner(bytes)
        while let line = scanner.line() {
            var fields = ByteScanner(line)
            guard let key = fields.prefix(upTo: UInt8(ascii: ":"))?.trimmed else { continue }
            let value = fields.rest.trimmed
            if key.equals("processor"), value.unsigned != nil {
                info.threads += 1
                package = 0
            } else if key.equals("model name") || key.equals("cpu model") || key.equals("cpu") {
                info.model = info.model ?? value.string
            } else if key.equals("Model") || key.equals("Hardware") {
                // ARM names the machine at the end of the file.
                info.model = info.model ?? value.string
            } else if key.equals("physical id") {
                package = value.unsigned ?? 0
            } else if key.equals("core id"), let core = value.unsigned {
                cores.insert([package, core])
            } else if key.equals("cpu MHz") || key.equals("clock"),
                let rate = Bytes(rebasing: value.prefix { $0 != UInt8(ascii: "M") }).decimal
            {
                rates.append(rate)
            }
        }
        info.cores = cores.isEmpty ? nil : cores.count
        let mean = rates.reduce(0, +) / Double(rates.count)
        info.megahertz = mean.isFinite ? mean : nil
        return info
    }
}
