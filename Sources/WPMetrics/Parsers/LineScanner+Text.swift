// SPDX-License-Identifier: MIT

/// Lines of the Prometheus text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
///
/// The output of ``TextFormat`` round-trips, except for units, exemplars and types that the format lacks. Unlike some
/// parsers, this one requires contiguous families and consistent histograms.
extension LineScanner {
    /// The content of the line; nil if it is empty or a comment.
    mutating func textLine() throws(ScanFault) -> ParsedLine? {
        skipBlanks()
        if isAtEnd { return nil }
        return skip(UInt8(ascii: "#")) ? try textMetadata() : .sample(try textSample())
    }

    /// The metadata after a `#`; nil for a comment.
    private mutating func textMetadata() throws(ScanFault) -> ParsedLine? {
        skipBlanks()
        let keyword = String(decoding: token(), as: UTF8.self)
        guard keyword == "HELP" || keyword == "TYPE", !isAtEnd else { return nil }
        skipBlanks()
        let name = try metricName()
        if keyword == "HELP" {
            if !isAtEnd { try skipGap() }
            return .metadata(.help(try help()), name: name)
        }
        try skipGap()
        let word = String(decoding: token(), as: UTF8.self)
        skipBlanks()
        guard isAtEnd, let type = Self.textTypes[word] else {
            throw ScanFault(.metadata, "\(name) has an unknown type")
        }
        return .metadata(.type(type), name: name)
    }

    private static let textTypes: [String: MetricType] = [
        "counter": .counter, "gauge": .gauge, "histogram": .histogram, "summary": .summary, "untyped": .unknown,
    ]

    private mutating func textSample() throws(ScanFault) -> ParsedSample {
        let name = try metricName()
        skipBlanks()
        var labels: [Label] = []
        if rest.first == UInt8(ascii: "{") {
            labels = try self.labels()
            skipBlanks()
        }
        guard let number = ParsedNumber(token()) else {
            throw ScanFault(.value, "the value of \(name) is not a number")
        }
        skipBlanks()
        var timestamp: Double?
        if !isAtEnd {
            guard let milliseconds = Int64(String(decoding: token(), as: UTF8.self)) else {
                throw ScanFault(.timestamp, "the timestamp of \(name) is not a whole number of milliseconds")
            }
            timestamp = Double(milliseconds) / 1000
            skipBlanks()
        }
        guard isAtEnd else { throw ScanFault(.syntax, "unexpected text after the sample of \(name)") }
        return ParsedSample(name: name, labels: labels, number: number, timestamp: timestamp, exemplar: nil)
    }
}
