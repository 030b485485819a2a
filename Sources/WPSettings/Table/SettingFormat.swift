// SPDX-License-Identifier: MIT

import WPCommandLine
public import WPCore

/// Converts the text of a setting to a value and back.
public struct SettingFormat<Value: Sendable>: Sendable {
    package let type: SettingType
    package let parse: @Sendable (String) throws(SettingMismatch) -> Value
    package let text: @Sendable (Value) -> String
    /// Checks a value that a program assigned.
    let check: @Sendable (Value) throws(SettingMismatch) -> Void

    /// - Parameter check: checks an assigned value; nil to format the value and parse the result.
    package init(
        type: SettingType,
        parse: @escaping @Sendable (String) throws(SettingMismatch) -> Value,
        text: @escaping @Sendable (Value) -> String,
        check: (@Sendable (Value) throws(SettingMismatch) -> Void)? = nil
    ) {
        self.type = type
        self.parse = parse
        self.text = text
        if let check {
            self.check = check
        } else {
            self.check = { (value: Value) throws(SettingMismatch) in
                let text = text(value)
                guard !text.isEmpty else { throw .empty }
                _ = try parse(text)
            }
        }
    }

    /// Creates a format for a custom type.
    /// - Parameters:
    ///   - expectation: what is expected, to follow "expected" in messages: `an address such as 10.0.0.0/8`.
    ///   - placeholder: the placeholder of a value in a usage line: `CIDR`.
    ///   - parse: parses a value; throws ``SettingMismatch`` for invalid text.
    ///   - text: formats a value so that `parse` accepts it.
    public init(
        expecting expectation: String,
        placeholder: String,
        parse: @escaping @Sendable (String) throws(SettingMismatch) -> Value,
        text: @escaping @Sendable (Value) -> String
    ) {
        let type = CustomSettingType(expectation: expectation, summary: expectation, placeholder: placeholder)
        self.init(type: .custom(type), parse: parse, text: text)
    }

    /// A format for an optional setting.
    public static func optional<Wrapped: Sendable>(_ format: SettingFormat<Wrapped>) -> Self where Value == Wrapped? {
        Self(type: format.type) { (text: String) throws(SettingMismatch) -> Wrapped? in
            try format.parse(text)
        } text: { value in
            value.map(format.text) ?? ""
        } check: { (value: Wrapped?) throws(SettingMismatch) in
            if let value { try format.check(value) }
        }
    }
}

/// A string that does not match the format of its setting.
public struct SettingMismatch: Error, Sendable {
    /// The reason, without quoting the text.
    var hint: String?
    /// Whether messages may quote the text.
    var isShowable: Bool

    /// The mismatch of an empty value.
    static let empty = SettingMismatch(hint: "it is empty")

    /// Creates a mismatch.
    /// - Parameters:
    ///   - hint: the reason, without quoting the text; nil if the format's expectation suffices.
    ///   - isShowable: whether messages may quote the text; false if it may contain a secret.
    public init(hint: String? = nil, isShowable: Bool = true) {
        self.hint = hint
        self.isShowable = isShowable
    }
}

extension SettingFormat where Value == String {
    /// Text without control characters.
    public static var text: Self { plain(.text) }
    /// The path of a file or directory.
    public static var path: Self { plain(.path) }

    private static func plain(_ type: SettingType) -> Self {
        Self(type: type) { (text: String) throws(SettingMismatch) -> String in
            guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
                throw SettingMismatch(hint: "it contains a control character")
            }
            return text
        } text: {
            $0
        }
    }
}

extension SettingFormat where Value == Secret {
    /// A password or token: one line of any text, which messages never show.
    public static var secret: Self {
        let parse = { @Sendable (text: String) throws(SettingMismatch) -> Secret in
            guard text.unicodeScalars.allSatisfy({ $0 != "\n" && $0 != "\r" && $0 != "\0" }) else {
                throw SettingMismatch(hint: "it contains a line break or a NUL")
            }
            return Secret(text)
        }
        return Self(type: .secret, parse: parse) {
            $0.description
        } check: { (value: Secret) throws(SettingMismatch) in
            guard !value.reveal().isEmpty else { throw .empty }
            _ = try parse(value.reveal())
        }
    }
}

extension SettingFormat where Value == Bool {
    /// `true` or `false`; also `1`, `0`, `yes` and `no`.
    public static var boolean: Self {
        Self(type: .boolean) { (text: String) throws(SettingMismatch) -> Bool in
            guard let value = BooleanText.parse(text) else { throw SettingMismatch() }
            return value
        } text: {
            $0 ? "true" : "false"
        }
    }
}

extension SettingFormat where Value == Int {
    /// An integer in a range, in decimal.
    public static func integer(_ range: ClosedRange<Int>) -> Self {
        Self(type: .integer(range)) { (text: String) throws(SettingMismatch) -> Int in
            guard !text.hasPrefix("+"), text == "0" || !text.hasPrefix("0"), let value = Int(text),
                range.contains(value)
            else { throw SettingMismatch() }
            return value
        } text: {
            String($0)
        }
    }

    /// A size in bytes in a range: `65536`, `64KiB`, `1MiB` or `1GiB`.
    public static func size(_ range: ClosedRange<Int>) -> Self {
        Self(type: .size(range)) { (text: String) throws(SettingMismatch) -> Int in
            guard let value = SizeText.parse(text), range.contains(value) else { throw SettingMismatch() }
            return value
        } text: {
            SizeText.format($0)
        }
    }
}

extension SettingFormat where Value == Double? {
    /// A decimal number in a range; `off` is nil.
    package static func factor(_ range: ClosedRange<Int>) -> Self {
        Self(type: .factor(range)) { (text: String) throws(SettingMismatch) -> Double? in
            if text.lowercased() == "off" { return nil }
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let isDecimal =
                parts.count <= 2
                && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
            guard isDecimal, let value = Double(text),
                value >= Double(range.lowerBound), value <= Double(range.upperBound)
            else { throw SettingMismatch() }
            return value
        } text: { value in
            guard let value else { return "off" }
            return Int(exactly: value).map(String.init) ?? value.description
        } check: { (value: Double?) throws(SettingMismatch) in
            guard let value else { return }
            guard value >= Double(range.lowerBound), value <= Double(range.upperBound) else { throw SettingMismatch() }
        }
    }
}

extension SettingFormat where Value == Duration {
    /// A duration in a range: `300ms`, `5s`, `1m30s` or `2h`.
    public static func duration(_ range: ClosedRange<Duration>) -> Self {
        Self(type: .duration(range)) { (text: String) throws(SettingMismatch) -> Duration in
            let value: Duration
            do throws(DurationText.Malformed) {
                value = try DurationText.parse(text)
            } catch {
                throw SettingMismatch(hint: error.description)
            }
            guard range.contains(value) else { throw SettingMismatch() }
            return value
        } text: {
            DurationText.format($0)
        } check: { (value: Duration) throws(SettingMismatch) in
            guard range.contains(value) else { throw SettingMismatch() }
        }
    }
}

extension SettingFormat where Value == UInt16 {
    /// Permission bits in octal with a leading zero; owner read and write must be set.
    package static var permissions: Self {
        Self(type: .permissions) { (text: String) throws(SettingMismatch) -> UInt16 in
            let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text.hasPrefix("0") ? text.dropFirst() : ""
            guard !digits.isEmpty else {
                throw SettingMismatch(hint: "without a leading 0 it would be a decimal number")
            }
            guard let bits = UInt16(digits: digits, radix: 8), bits <= 0o777, bits & 0o600 == 0o600 else {
                throw SettingMismatch(hint: "the owner must be able to read and write")
            }
            return bits
        } text: {
            "0" + String($0, radix: 8)
        }
    }
}

extension SettingFormat where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the raw values of an enumeration.
    public static var choice: Self {
        Self(type: .choice(Value.allCases.map(\.rawValue))) { (text: String) throws(SettingMismatch) -> Value in
            guard let value = Value(rawValue: text.lowercased()) else { throw SettingMismatch() }
            return value
        } text: {
            $0.rawValue
        }
    }
}

/// Sizes in the notation of settings: `1048576` or `1MiB`.
enum SizeText {
    private static let units: [(name: String, bytes: Int)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]

    static func parse(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) }
        let digits = text.dropLast(unit?.name.count ?? 0)
        guard let number = Int(digits: digits) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return overflow ? nil : bytes
    }

    static func format(_ bytes: Int) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes % $0.bytes == 0 }) else { return String(bytes) }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
