// SPDX-License-Identifier: MIT

import WPCommandLine
import WPModel

/// How the text of a setting becomes a value, and back.
struct SettingFormat<Value: Sendable>: Sendable {
    let type: SettingType
    let parse: @Sendable (String) throws(SettingMismatch) -> Value
    let text: @Sendable (Value) -> String

    /// A format for a setting that may be absent, which is an empty text.
    static func optional<Wrapped: Sendable>(_ format: SettingFormat<Wrapped>) -> Self where Value == Wrapped? {
        Self(type: format.type) { (text: String) throws(SettingMismatch) -> Wrapped? in
            try format.parse(text)
        } text: { value in
            value.map(format.text) ?? ""
        }
    }
}

/// A text that does not fit the type of its setting.
struct SettingMismatch: Error {
    /// What is wrong with it, without quoting it.
    var hint: String?
    /// Whether the text may be shown.
    var isShowable = true
}

extension SettingFormat where Value == String {
    static var text: Self { plain(.text) }
    static var path: Self { plain(.path) }

    static var endpoint: Self {
        Self(type: .endpoint) { (text: String) throws(SettingMismatch) -> String in
            guard text.hasPrefix("/"), text.utf8.allSatisfy(WinPowerURL.isPathByte) else { throw SettingMismatch() }
            return text
        } text: {
            $0
        }
    }

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
    static var secret: Self {
        Self(type: .secret) { (text: String) throws(SettingMismatch) -> Secret in
            guard text.unicodeScalars.allSatisfy({ $0 != "\n" && $0 != "\r" && $0 != "\0" }) else {
                throw SettingMismatch(hint: "it contains a line break or a NUL")
            }
            return Secret(text)
        } text: {
            $0.description
        }
    }
}

extension SettingFormat where Value == WinPowerURL {
    static var url: Self {
        Self(type: .url) { (text: String) throws(SettingMismatch) -> WinPowerURL in
            do throws(WinPowerURL.Malformed) {
                return try WinPowerURL(text)
            } catch {
                throw SettingMismatch(hint: error.description, isShowable: false)
            }
        } text: {
            $0.description
        }
    }
}

extension SettingFormat where Value == Bool {
    static var boolean: Self {
        Self(type: .boolean) { (text: String) throws(SettingMismatch) -> Bool in
            guard let value = BooleanText.parse(text) else { throw SettingMismatch() }
            return value
        } text: {
            $0 ? "true" : "false"
        }
    }
}

extension SettingFormat where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        Self(type: .integer(range)) { (text: String) throws(SettingMismatch) -> Int in
            guard !text.hasPrefix("+"), text == "0" || !text.hasPrefix("0"), let value = Int(text),
                range.contains(value)
            else { throw SettingMismatch() }
            return value
        } text: {
            String($0)
        }
    }

    static func size(_ range: ClosedRange<Int>) -> Self {
        Self(type: .size(range)) { (text: String) throws(SettingMismatch) -> Int in
            guard let value = SizeText.parse(text), range.contains(value) else { throw SettingMismatch() }
            return value
        } text: {
            SizeText.format($0)
        }
    }
}

extension SettingFormat where Value == Double? {
    /// A decimal number; nil is `off`.
    static func factor(_ range: ClosedRange<Int>) -> Self {
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
        }
    }
}

extension SettingFormat where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
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
        }
    }
}

extension SettingFormat where Value == UInt16 {
    static var permissions: Self {
        Self(type: .permissions) { (text: String) throws(SettingMismatch) -> UInt16 in
            let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text.hasPrefix("0") ? text.dropFirst() : ""
            guard !digits.isEmpty else {
                throw SettingMismatch(hint: "without a leading 0 it would be a decimal number")
            }
            guard digits.utf8.allSatisfy({ (0x30...0x37).contains($0) }), let bits = UInt16(digits, radix: 8),
                bits <= 0o777, bits & 0o600 == 0o600
            else { throw SettingMismatch(hint: "the owner must be able to read and write") }
            return bits
        } text: { bits in
            let digits = String(bits, radix: 8)
            return String(repeating: "0", count: max(1, 4 - digits.utf8.count)) + digits
        }
    }
}

extension SettingFormat where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    static var choice: Self {
        Self(type: .choice(Value.allCases.map(\.rawValue))) { (text: String) throws(SettingMismatch) -> Value in
            guard let value = Value(rawValue: text.lowercased()) else { throw SettingMismatch() }
            return value
        } text: {
            $0.rawValue
        }
    }
}

extension SettingFormat where Value == LoggingSettings.Output {
    static var output: Self {
        let path = SettingFormat<String>.path
        return Self(type: .output) { (text: String) throws(SettingMismatch) -> LoggingSettings.Output in
            switch text {
            case "stdout": .stdout
            case "stderr": .stderr
            default: .file(try path.parse(text))
            }
        } text: { output in
            switch output {
            case .stdout: "stdout"
            case .stderr: "stderr"
            case .file(let path): path
            }
        }
    }
}

extension SettingFormat where Value == ProxySetting {
    static var proxy: Self {
        Self(type: .proxy) { (text: String) throws(SettingMismatch) -> ProxySetting in
            do throws(WinPowerURL.Malformed) {
                return try ProxySetting(text)
            } catch {
                throw SettingMismatch(hint: error.description, isShowable: false)
            }
        } text: {
            $0.description
        }
    }
}

extension SettingFormat where Value == ModuleLevels {
    static var moduleLevels: Self {
        Self(type: .moduleLevels) { (text: String) throws(SettingMismatch) -> ModuleLevels in
            do throws(ModuleLevels.Malformed) {
                return try ModuleLevels(text)
            } catch {
                throw SettingMismatch(hint: error.description)
            }
        } text: {
            $0.description
        }
    }
}

/// Numbers of bytes as settings write them: `1048576` or `1MiB`.
enum SizeText {
    private static let units: [(name: String, bytes: Int)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]

    static func parse(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) }
        let digits = text.dropLast(unit?.name.count ?? 0)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        return overflow ? nil : bytes
    }

    static func format(_ bytes: Int) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes % $0.bytes == 0 }) else { return String(bytes) }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
