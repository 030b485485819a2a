// SPDX-License-Identifier: MIT

import WPHost
import WPTerminal

/// Formats the numbers of a snapshot for display. A dash means unknown.
enum SnapshotText {
    static let unknown = "-"

    /// Bytes with a binary prefix, such as `3.4 GiB`.
    static func size(_ bytes: UInt64?) -> String {
        bytes.map { size(Double($0)) } ?? unknown
    }

    /// Bytes per second.
    static func rate(_ bytes: Double?) -> String {
        bytes.map { size($0) + "/s" } ?? unknown
    }

    static func percent(_ value: Double?) -> String {
        value.map { Decimals.text($0, 1) + " %" } ?? unknown
    }

    static func number(_ value: Double?, _ decimals: Int) -> String {
        value.map { Decimals.text($0, decimals) } ?? unknown
    }

    static func number(_ value: (some BinaryInteger)?) -> String {
        value.map { String($0) } ?? unknown
    }

    /// Degrees Celsius.
    static func temperature(_ celsius: Double?) -> String {
        celsius.map { Decimals.text($0, 1) + " C" } ?? unknown
    }

    /// A duration such as `12d 4h` or `3m 5s`.
    static func span(_ seconds: Double?) -> String {
        guard let seconds, let whole = Int(exactly: seconds.rounded(.down)), whole >= 0 else { return unknown }
        let (days, hours, minutes) = (whole / 86_400, whole / 3600 % 24, whole / 60 % 60)
        if days > 0 { return "\(days)d \(hours)h" }
        if hours > 0 { return "\(hours)h \(minutes)m" }
        return minutes > 0 ? "\(minutes)m \(whole % 60)s" : "\(whole)s"
    }

    private static func size(_ bytes: Double) -> String {
        var value = bytes
        var unit = 0
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        while value >= 1024, unit + 1 < units.count {
            value /= 1024
            unit += 1
        }
        return "\(Decimals.text(value, unit == 0 || value >= 100 ? 0 : 1)) \(units[unit])"
    }

    /// The style of a usage percentage: highlighted from 80 %, as in atlhyper's agents.
    static func style(_ percent: Double?, warnFrom limit: Double = 80) -> TextStyle {
        guard let percent, percent >= limit else { return .plain }
        return TextStyle(percent >= 95 ? .red : .yellow, isBold: percent >= 95)
    }
}
