// SPDX-License-Identifier: MIT

/// The average number of processes that were runnable or waiting for a device.
public struct LoadAverages: Sendable, Hashable {
    /// Over one minute.
    public let one: Double
    /// Over five minutes.
    public let five: Double
    /// Over fifteen minutes.
    public let fifteen: Double
}

/// Reads `/proc/loadavg`.
struct LoadavgCollector: PlainCollector {
    static let name = "loadavg"

    mutating func collect(_ context: inout CollectionContext) -> LoadAverages? {
        let text = context.read(context.proc, "loadavg") { bytes -> (LoadAverages?, String) in
            var fields = ByteScanner(bytes)
            guard let one = fields.field()?.decimal, let five = fields.field()?.decimal,
                let fifteen = fields.field()?.decimal
            else { return (nil, bytes.trimmed.string) }
            return (LoadAverages(one: one, five: five, fifteen: fifteen), "")
        }
        #if canImport(Darwin)
        if text == nil { return SystemCalls.load }
        #endif
        guard let (load, line) = text else { return nil }
        if load == nil { context.malformed(context.proc, "loadavg", line) }
        return load
    }

    static func addFamilies(of load: LoadAverages, to families: inout HostFamilies) {
        families.add("load1", "Load average over 1 minute.", load.one)
        families.add("load5", "Load average over 5 minutes.", load.five)
        families.add("load15", "Load average over 15 minutes.", load.fifteen)
    }
}

extension HostSample {
    /// Load averages.
    public var load: LoadAverages? { self[LoadavgCollector.self] }
}
