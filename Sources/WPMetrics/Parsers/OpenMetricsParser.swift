// SPDX-License-Identifier: MIT

/// Reads OpenMetrics 1.0.0 (github.com/prometheus/OpenMetrics, specification/OpenMetrics.md), strictly.
///
/// Families have the names of ``MetricDescriptor``, with `_total` for a counter and `_info` for an info metric.
/// Creation times are checked but dropped; of points with the same timestamp, the first is kept.
package struct OpenMetricsParser: Sendable {
    private let limits: ParserLimits

    /// Creates a parser.
    package init(limits: ParserLimits = ParserLimits()) {
        self.limits = limits
    }

    /// Reads a whole exposition.
    /// - Throws: ``ExpositionParseError`` with the first invalid line; for an inconsistent family, its first line.
    package func parse(_ bytes: [UInt8]) throws(ExpositionParseError) -> [MetricFamily] {
        var line = 1
        do throws(ScanFault) {
            var lines = try LineReader(bytes, limits)
            var reader = ExpositionReader(.openMetrics, limits)
            while let text = try lines.next() {
                line = lines.line
                if text.elementsEqual("# EOF".utf8) {
                    guard try lines.next() == nil else {
                        throw ScanFault(.end, "text follows the end marker").about(line: lines.line)
                    }
                    return try reader.finish()
                }
                guard lines.isTerminated else { break }
                try read(text, line: line, into: &reader)
            }
            throw ScanFault(.end, "the end marker '# EOF' is missing")
        } catch {
            throw error.error(line: line)
        }
    }

    private func read(
        _ text: ArraySlice<UInt8>,
        line: Int,
        into reader: inout ExpositionReader
    ) throws(ScanFault) {
        var scanner = LineScanner(text, .openMetrics(limits))
        if scanner.skip(UInt8(ascii: "#")) {
            let (name, metadata) = try Self.metadata(&scanner)
            try reader.add(metadata, of: name, line: line)
        } else {
            try reader.add(try Self.sample(&scanner), line: line)
        }
    }

    private static func metadata(
        _ scanner: inout LineScanner
    ) throws(ScanFault) -> (String, ExpositionReader.Metadata) {
        try scanner.skipGap()
        let keyword = String(decoding: scanner.token(), as: UTF8.self)
        guard ["HELP", "TYPE", "UNIT"].contains(keyword) else {
            throw ScanFault(.metadata, "a line begins with '#' but is not metadata")
        }
        try scanner.skipGap()
        let name = try scanner.metricName()
        try scanner.skipGap()
        if keyword == "HELP" { return (name, .help(try scanner.help())) }
        let word = String(decoding: scanner.token(), as: UTF8.self)
        guard scanner.isAtEnd else { throw ScanFault(.metadata, "something follows the \(keyword) of \(name)") }
        if keyword == "UNIT" { return (name, .unit(word)) }
        guard let type = MetricType(rawValue: word) else {
            throw ScanFault(.metadata, "\(name) has an unknown type")
        }
        return (name, .type(type))
    }

    private static func sample(_ scanner: inout LineScanner) throws(ScanFault) -> ParsedSample {
        let name = try scanner.metricName()
        let labels = scanner.rest.first == UInt8(ascii: "{") ? try scanner.labels() : []
        try scanner.skipGap()
        guard let number = ParsedNumber(scanner.token()) else {
            throw ScanFault(.value, "the value of \(name) is not a number")
        }
        var timestamp: Double?
        var exemplar: Exemplar?
        if scanner.skip(" # ") {
            exemplar = try self.exemplar(&scanner)
        } else if !scanner.isAtEnd {
            try scanner.skipGap()
            timestamp = try self.timestamp(&scanner)
            if scanner.skip(" # ") { exemplar = try self.exemplar(&scanner) }
        }
        guard scanner.isAtEnd else { throw ScanFault(.syntax, "something follows the sample of \(name)") }
        return ParsedSample(name: name, labels: labels, number: number, timestamp: timestamp, exemplar: exemplar)
    }

    private static func timestamp(_ scanner: inout LineScanner) throws(ScanFault) -> Double {
        guard let timestamp = ParsedNumber(scanner.token())?.value, timestamp.isFinite else {
            throw ScanFault(.timestamp, "a timestamp is not a finite number")
        }
        return timestamp
    }

    private static func exemplar(_ scanner: inout LineScanner) throws(ScanFault) -> Exemplar {
        let labels = try scanner.labels()
        try scanner.skipGap()
        guard let value = ParsedNumber(scanner.token())?.value else {
            throw ScanFault(.exemplar, "the value of an exemplar is not a number")
        }
        var timestamp: Double?
        if !scanner.isAtEnd {
            try scanner.skipGap()
            timestamp = try self.timestamp(&scanner)
        }
        let time = timestamp
        return try ScanFault.wrapping(.exemplar) { () throws(MetricError) in
            try Exemplar(labels: LabelSet(labels), value: value, timestamp: time)
        }
    }
}
