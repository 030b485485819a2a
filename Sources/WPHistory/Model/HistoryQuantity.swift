// SPDX-License-Identifier: MIT

package import WPModel

/// A quantity in buckets, identified by its stored number, which never changes. Nodes use numbers below 32, UPSes the
/// others.
public struct HistoryQuantity: RawRepresentable, Sendable, Hashable, CaseIterable, Comparable {
    /// Its number in the store.
    public let rawValue: UInt8

    /// Busy processor time of a node, in percent.
    public static let cpuUsage = Self(1)
    /// Memory in use, in percent.
    public static let memoryUsage = Self(2)
    /// Used space of the primary file system, in percent.
    public static let diskUsage = Self(3)
    /// Bytes read from the primary disk, per second.
    public static let diskRead = Self(4)
    /// Bytes written to the primary disk, per second.
    public static let diskWrite = Self(5)
    /// Bytes received by the primary interface, per second.
    public static let networkReceive = Self(6)
    /// Bytes sent by the primary interface, per second.
    public static let networkSend = Self(7)
    /// The processor's temperature, in degrees Celsius.
    public static let cpuTemperature = Self(8)
    /// The load average of one minute.
    public static let load1 = Self(9)
    /// Whether the UPS runs on battery: the average is the share of the time, from 0 to 1.
    public static let onBattery = Self(40)

    /// The load of a UPS, in percent of its rating.
    public static let loadPercent = Self(of: .loadPercent)
    /// The active power of a UPS's load, in watts.
    public static let loadWatts = Self(of: .loadWatts)
    /// The charge of a UPS's battery, in percent.
    public static let batteryPercent = Self(of: .batteryPercent)
    /// The remaining runtime on battery, in seconds.
    public static let batteryRuntime = Self(of: .batteryRuntime)
    /// The input voltage of a UPS, in volts.
    public static let inputVolts = Self(of: .inputVolts)
    /// The output voltage of a UPS, in volts.
    public static let outputVolts = Self(of: .outputVolts)
    /// The temperature of a UPS, in degrees Celsius.
    public static let temperature = Self(of: .temperature)
    /// The energy that a UPS has delivered, in watt-hours: a counter.
    public static let energy = Self(of: .energy)

    /// The quantities of a UPS's snapshot, by number.
    package static let ofSnapshots: [(quantity: HistoryQuantity, source: UPSQuantity)] = UPSQuantity.reported
        .compactMap { source in source.history.map { (Self($0), source) } }
        .sorted { $0.quantity < $1.quantity }

    /// The names in JSON and CSV, indexed by number.
    private static let names: [String?] = {
        var names = [String?](repeating: nil, count: 256)
        let nodes = [
            "cpu_usage", "memory_usage", "disk_usage", "disk_io_read", "disk_io_write", "network_rx", "network_tx",
            "cpu_temp", "load_1",
        ]
        for (index, name) in nodes.enumerated() { names[index + 1] = name }
        names[40] = "on_battery"
        for (quantity, source) in ofSnapshots {
            let number = Int(quantity.rawValue)
            precondition(number >= 32 && names[number] == nil, "the history number \(number) is taken")
            names[number] = source.jsonName
        }
        return names
    }()

    /// All quantities, by number.
    public static let allCases = names.indices.compactMap { Self(rawValue: UInt8($0)) }

    /// The quantity with a number; nil if this version does not know it.
    public init?(rawValue: UInt8) {
        guard Self.names[Int(rawValue)] != nil else { return nil }
        self.rawValue = rawValue
    }

    private init(_ number: UInt8) {
        rawValue = number
    }

    private init(of quantity: UPSQuantity) {
        guard let number = quantity.history else { preconditionFailure("not in the history: \(quantity.help)") }
        rawValue = number
    }

    /// Whether buckets store its increase instead of an average.
    public var isCounter: Bool { rawValue >= 64 }

    /// The name in JSON and CSV.
    public var name: String {
        guard let name = Self.names[Int(rawValue)] else { preconditionFailure("no history quantity \(rawValue)") }
        return name
    }

    /// The quantities of a kind of subject, in output order.
    public static func all(of kind: HistorySubject.Kind) -> [Self] {
        allCases.filter { kind == .node ? $0.rawValue < 32 : $0.rawValue >= 32 }
    }

    /// Orders by number.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
