// SPDX-License-Identifier: MIT

/// A quantity of a UPS or of one of its phases: the single declaration from which metrics, columns and labels derive.
package struct Quantity<Root: Sendable>: Sendable {
    package typealias Path<Value> = any WritableKeyPath<Root, Value?> & Sendable

    /// The location of the value in a reading.
    package enum Source: Sendable {
        case number(Path<Double>)
        /// A count, or one of the vendor's codes.
        case code(Path<Int>)
        case flag(Path<Bool>)
        /// Not in a reading: the exporter's energy total.
        case total
    }

    /// A column of `devices` and `watch`.
    package struct Column: Sendable {
        package let heading: String
        package let decimals: Int
        /// The number of decimals in line output of `watch`.
        package let decimalsInLines: Int
        /// The column with the highest number is dropped first from a narrow table; 0 is never dropped.
        package let dropOrder: Int
        /// Whether the column is shown only in a wide table, after the device's model.
        package let isExtra: Bool
    }

    /// The name in JSON; nil if snapshots do not contain the quantity.
    package let name: String?
    package let source: Source
    /// WinPower's field; for a phase, without the number.
    package let field: String?
    /// The section of the device record that contains the field.
    package let part: QuantityPart
    package let unit: QuantityUnit
    /// The range that a hub accepts; nil for any number.
    package private(set) var range: ClosedRange<Double>?
    /// The name of the gauge; nil for none.
    package private(set) var metric: String?
    /// The metric's help, a sentence.
    package private(set) var help = ""
    /// The series number in the history, which never changes: below 64 for averages, from 64 for counters; nil for
    /// none.
    package private(set) var history: UInt8?
    /// The label on the page; nil if the page does not show it.
    package private(set) var label: (english: String, chinese: String)?
    /// The NUT variable, with `#` for the phase number.
    package private(set) var nut: String?
    package private(set) var column: Column?
    /// Whether the page's overview shows it.
    package private(set) var isInOverview = false
    /// The index in the table.
    package private(set) var index = 0

    init(
        _ name: String?,
        _ source: Source,
        _ field: String?,
        of part: QuantityPart = .realtime,
        _ unit: QuantityUnit
    ) {
        self.name = name
        self.source = source
        self.field = field
        self.part = part
        self.unit = unit
        range = unit.range
    }

    /// The JSON name of a quantity in snapshots.
    package var jsonName: String {
        guard let name else { preconditionFailure("not in snapshots: \(help)") }
        return name
    }

    /// The value in a reading, in ``unit``; 0 or 1 for a flag.
    package func value(of root: Root) -> Double? {
        switch source {
        case .number(let path): root[keyPath: path]
        case .code(let path): root[keyPath: path].map(Double.init)
        case .flag(let path): root[keyPath: path].map { $0 ? 1 : 0 }
        case .total: nil
        }
    }

    /// Sets the value in a reading. A code that is not an integer becomes nil.
    package func set(_ value: Double?, in root: inout Root) {
        switch source {
        case .number(let path): root[keyPath: path] = value
        case .code(let path): root[keyPath: path] = value.flatMap { Int(exactly: $0) }
        case .flag(let path): root[keyPath: path] = value.map { $0 != 0 }
        case .total: break
        }
    }
}

// MARK: Rows of the table

extension Quantity {
    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    func metric(_ name: String?, _ help: String) -> Self {
        with { ($0.metric, $0.help) = (name, help) }
    }

    func within(_ range: ClosedRange<Double>) -> Self { with { $0.range = range } }

    func history(_ number: UInt8) -> Self { with { $0.history = number } }

    func page(_ english: String, _ chinese: String) -> Self { with { $0.label = (english, chinese) } }

    func overview() -> Self { with { $0.isInOverview = true } }

    func nut(_ name: String) -> Self { with { $0.nut = name } }

    func column(_ heading: String, decimals: Int = 0, inLines: Int = 1, drop: Int = 0, isExtra: Bool = false) -> Self {
        let column = Column(
            heading: heading,
            decimals: decimals,
            decimalsInLines: inLines,
            dropOrder: drop,
            isExtra: isExtra
        )
        return with { $0.column = column }
    }

    /// Assigns each quantity its index.
    static func table(_ quantities: [Self]) -> [Self] {
        quantities.enumerated().map { index, quantity in quantity.with { $0.index = index } }
    }
}

/// A section of a WinPower device record.
package enum QuantityPart: String, Sendable, CaseIterable {
    case realtime, config
    /// The record itself.
    case record
}

/// The unit of a quantity. The raw value is the page's name for it.
package enum QuantityUnit: String, Sendable {
    case percent, watts, voltAmperes, volts, amperes, hertz, seconds, celsius, wattHours
    /// A number without a unit.
    case count
    /// The vendor's code.
    case code
    /// Yes or no.
    case flag

    /// The range of plausible values; nil for any.
    var range: ClosedRange<Double>? {
        switch self {
        case .percent: 0...1000
        case .watts, .voltAmperes, .seconds, .count: 0...1e9
        case .volts, .amperes: 0...1e6
        case .hertz: 0...1e4
        case .celsius: -100...200
        case .wattHours: 0...1e15
        case .code, .flag: nil
        }
    }
}
