// SPDX-License-Identifier: MIT

import WPCore
import WPHistory
import WPHost

/// The parameters of an API request. Unknown and repeated parameters are errors, so that misspellings are noticed.
struct APIQuery {
    private var values: [String: String] = [:]

    init(_ query: Substring?, allowed: Set<String>) throws(APIError) {
        guard let query, !query.isEmpty else { return }
        for part in query.split(separator: "&", maxSplits: 32) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(pair[0])
            let value = pair.count > 1 ? try Self.decode(pair[1]) : ""
            guard allowed.contains(name) else {
                throw .badRequest("unknown parameter \(name); allowed are \(allowed.sorted().joined(separator: ", "))")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .badRequest("the parameter \(name) is given twice")
            }
        }
    }

    private static func decode(_ text: Substring) throws(APIError) -> String {
        guard let bytes = PercentEncoding.decode(text.utf8, plusIsSpace: true),
            let decoded = String(validating: bytes, as: UTF8.self)
        else { throw .badRequest("the query is not percent-encoded UTF-8") }
        return decoded
    }

    func text(_ name: String) -> String? { values[name] }

    /// A time in seconds since 1970: RFC 3339, or a number of seconds.
    func time(_ name: String) throws(APIError) -> Int64? {
        guard let text = values[name] else { return nil }
        if let seconds = Int64(text), Self.times.contains(seconds) { return seconds }
        // An unencoded plus sign has become a space.
        if let seconds = RFC3339.seconds(text) ?? RFC3339.seconds(text.split(separator: " ").joined(separator: "+")),
            let whole = Int64(exactly: seconds.rounded(.down)), Self.times.contains(whole)
        {
            return whole
        }
        throw .badRequest("\(name) must be a time such as 2026-01-31T00:00:00Z, or seconds since 1970")
    }

    /// The years 1970 to 9999.
    static let times: ClosedRange<Int64> = 0...253_402_300_799

    /// A duration in seconds: a number, optionally with the unit s, m, h or d.
    func span(_ name: String) throws(APIError) -> Int64? {
        guard let text = values[name] else { return nil }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? Substring(text) : text.dropLast()
        guard let number = Int64(digits: digits), number > 0,
            case let (span, isTooLong) = number.multipliedReportingOverflow(by: unit ?? 1), !isTooLong,
            span <= 31_622_400
        else { throw .badRequest("\(name) must be a duration such as 300, 5m or 1h, up to 366 days") }
        return span
    }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = values[name] else { return nil }
        guard text.utf8.count <= 9, let number = Int(digits: text), range.contains(number) else {
            throw .badRequest("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<Value: RawRepresentable & CaseIterable>(
        _ name: String,
        _ type: Value.Type
    ) throws(APIError) -> Value? where Value.RawValue == String {
        guard let text = values[name] else { return nil }
        guard let value = Value(rawValue: text) else {
            throw .badRequest("\(name) must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return value
    }
}

/// The format of a list of points.
enum APIFormat: String, CaseIterable {
    case json, csv
}

/// The requested range of a history.
struct HistoryRange {
    /// The same limit as Prometheus.
    static let maxPoints: Int64 = 11_000

    var from: Int64
    var to: Int64
    /// The duration of a point: a multiple of the interval.
    var step: Int64
    /// The length of the requested range in hours, rounded up.
    let hours: Int64

    init(from: Int64, to: Int64, step: Int64) {
        self.from = from
        self.to = to
        self.step = step
        hours = (to - from + 3599) / 3600
    }

    /// - Parameters:
    ///   - now: the current moment, in seconds since 1970.
    ///   - interval: the length of a bucket.
    ///   - defaultSpan: the length of the range if no start is given.
    init(_ query: APIQuery, now: Int64, interval: Int64, defaultSpan: Int64 = 86_400) throws(APIError) {
        let hours = try query.integer("hours", 1...720)
        to = try query.time("to") ?? now + 1
        from = try query.time("from") ?? max(0, to - (hours.map { Int64($0) * 3600 } ?? defaultSpan))
        guard from < to else { throw .badRequest("from must be before to") }
        self.hours = (to - from + 3599) / 3600
        // The bucket that contains the start belongs to the range.
        from = HistoryBucket.start(of: from, step: interval)
        if let requested = try query.span("step") {
            step = (requested + interval - 1) / interval * interval
            guard (to - from) / step <= Self.maxPoints else {
                throw .badRequest("more than \(Self.maxPoints) points: use a larger step or a shorter range")
            }
        } else {
            let least = (to - from + Self.maxPoints - 1) / Self.maxPoints
            step = max(1, (least + interval - 1) / interval) * interval
        }
    }
}
