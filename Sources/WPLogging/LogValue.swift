// SPDX-License-Identifier: MIT

/// A typed value in a log record.
public enum LogValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number.
    case int(Int64)
    /// A number. Non-finite values are written as text.
    case double(Double)
    /// Yes or no.
    case bool(Bool)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Yes or no.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A whole number.
    public static func int(_ value: Int) -> LogValue { .int(Int64(value)) }

    /// A duration in milliseconds, with microsecond precision. The keys of such values end in `_ms`.
    public static func milliseconds(_ span: Duration) -> LogValue {
        let (seconds, attoseconds) = span.components
        let microseconds = Double(seconds) * 1e6 + Double(attoseconds / 1_000_000_000_000)
        return .double(microseconds / 1000)
    }

    /// The description of a value. That of a secret is `<REDACTED>`.
    public static func describing(_ value: some Sendable) -> LogValue { .string(String(describing: value)) }
}
