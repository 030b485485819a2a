// SPDX-License-Identifier: MIT

import WPCore

/// The processors of the machine.
package struct ProcessorInfo: Sendable, Hashable {
    /// The model's name; nil if the kernel does not report it, as on some ARM machines.
    package internal(set) var model: String?
    /// Physical cores; nil if the kernel does not distinguish cores from threads.
    package internal(set) var cores: Int?
    /// The number of logical processors.
    package internal(set) var threads = 0
    /// The mean clock rate in MHz, read once per minute; nil if the kernel does not report it.
    package internal(set) var megahertz: Double?
}

/// Reads `/proc/cpuinfo` once per minute: on a machine with many processors the file is long, and the kernel queries
/// the clock rate of each.
struct CPUInfoCollector: PlainCollector {
    static let name = "cpuinfo"

    private static let interval = 60.0
    private var last: (time: TimePoint, info: ProcessorInfo)?

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
        for line in bytes.lines {
            var fields = ByteScanner(line)
            guard let key = fields.prefix(upTo: UInt8(ascii: ":"))?.trimmed else { continue }
            let value = fields.rest.trimmed
            if key.equals("processor"), value.unsigned != nil {
                info.threads += 1
                package = 0
            } else if key.equals("model name") || key.equals("cpu model") || key.equals("cpu") {
                info.model = info.model ?? value.string
            } else if key.equals("Model") || key.equals("Hardware") {
                // On ARM, the end of the file names the machine.
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

extension HostSample {
    /// The processors of the machine.
    package var processor: ProcessorInfo? { self[CPUInfoCollector.self] }
}
