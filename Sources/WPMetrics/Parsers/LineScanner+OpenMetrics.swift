// SPDX-License-Identifier: MIT

/// Lines of OpenMetrics 1.0.0 (github.com/prometheus/OpenMetrics, specification/OpenMetrics.md).
///
/// Families have the names of ``MetricDescriptor``, with `_total` for a counter and `_info` for an info metric.
/// Of points with the same timestamp, the first is kept.
extension LineScanner {
    mutating func openMetricsLine() throws(ScanFault) -> ParsedLine {
        skip(UInt8(ascii: "#")) ? try openMetricsMetadata() : .sample(try openMetricsSample())
    }

    private mutating func openMetricsMetadata() throws(ScanFault) -> ParsedLine {
        try skipGap()
        let keyword = String(decoding: token(), as: UTF8.self)
        guard ["HELP", "TYPE", "UNIT"].contains(keyword) else {
            throw ScanFault(.metadata, "a line begins with '#' but is not metadata")
        }
        try skipGap()
        let name = try metricName()
        try skipGap()
        if keyword == "HELP" { return .metadata(.help(try help()), name: name) }
        let word = String(decoding: token(), as: UTF8.self)
        guard isAtEnd else { throw ScanFault(.metadata, "unexpected text after the \(keyword) of \(name)") }
        if keyword == "UNIT" { return .metadata(.unit(word), name: name) }
        guard let type = MetricType(rawValue: word) else {
            throw ScanFault(.metadata, "\(name) has an unknown type")
        }
        return .metadata(.type(type), name: name)
    }

    private mutating func openMetricsSample() throws(ScanFault) -> ParsedSample {
        let name = try metricName()
        let labels = rest.first == UInt8(ascii: "{") ? try self.labels() : []
        try skipGap()
        guard let number = ParsedNumber(token()) else {
            throw ScanFault(.value, "the value of \(name) is not a number")
        }
        var timestamp: Double?
        var exemplar: Exemplar?
        if skip(" # ") {
            exemplar = try self.exemplar()
        } else if !isAtEnd {
            try skipGap()
            timestamp = try self.timestamp()
            if skip(" # ") { exemplar = try self.exemplar() }
        }
        guard isAtEnd else { throw ScanFault(.syntax, "unexpected text after the sample of \(name)") }
        return ParsedSample(name: name, labels: labels, number: number, timestamp: timestamp, exemplar: exemplar)
    }

    private mutating func timestamp() throws(ScanFault) -> Double {
        guard let timestamp = ParsedNumber(token())?.value, timestamp.isFinite else {
            throw ScanFault(.timestamp, "a timestamp is not a finite number")
        }
        return timestamp
    }

    private mutating func exemplar() throws(ScanFault) -> Exemplar {
        let labels = try self.labels()
        try skipGap()
        guard let value = ParsedNumber(token())?.value else {
            throw ScanFault(.exemplar, "the value of an exemplar is not a number")
        }
        var timestamp: Double?
        if !isAtEnd {
            try skipGap()
            timestamp = try self.timestamp()
        }
        let time = timestamp
        return try ScanFault.wrapping(.exemplar) { () throws(MetricError) in
            try Exemplar(labels: LabelSet(labels), value: value, timestamp: time)
        }
    }
}
