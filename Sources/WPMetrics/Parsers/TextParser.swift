// SPDX-License-Identifier: MIT

/// Reads the Prometheus text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
///
/// The output of ``TextFormat`` round-trips, except for units, exemplars and types that the format lacks. Unlike some
/// parsers, it requires contiguous families and consistent histograms.
package struct TextParser: Sendable {
    private let limits: ParserLimits

    /// Creates a parser.
    package init(limits: ParserLimits = ParserLimits()) {
        self.limits = limits
    }

    /// Reads a whole exposition; an empty one has no families.
    /// - Throws: ``ExpositionParseError`` with the first line that is wrong.
    package func parse(_ bytes: [UInt8]) throws(ExpositionParseError) -> [MetricFamily] {
        var line = 1
        do throws(ScanFault) {
            var lines = try LineReader(bytes, limits)
            var reader = ExpositionReader(.text, limits)
            while let text = try lines.next() {
                line = lines.line
                guard lines.isTerminated else { throw ScanFault(.end, "the last line has no line feed") }
                try read(text, line: line, into: &reader)
            }
            return try reader.finish()
        } catch {
            throw error.error(line: line)
        }
    }

    private func read(
        _ text: ArraySlice<UInt8>,
        line: Int,
        into reader: inout ExpositionReader
    ) throws(ScanFault) {
        var scanner = LineScanner(text, .text(limits))
        scanner.skipBlanks()
        if scanner.isAtEnd { return }
        if scanner.skip(UInt8(ascii: "#")) {
            guard let (name, metadata) = try Self.metadata(&scanner) else { return }
            try reader.add(metadata, of: name, line: line)
        } else {
            try reader.add(try Self.sample(&scanner), line: line)
        }
    }

    /// The metadata after a `#`; nil for a comment.
    private static func metadata(
        _ scanner: inout LineScanner
    ) throws(ScanFault) -> (String, ExpositionReader.Metadata)? {
        scanner.skipBlanks()
        let keyword = String(decoding: scanner.token(), as: UTF8.self)
        guard keyword == "HELP" || keyword == "TYPE", !scanner.isAtEnd else { return nil }
        scanner.skipBlanks()
        let name = try scanner.metricName()
        if keyword == "HELP" {
            if !scanner.isAtEnd { try scanner.skipGap() }
            return (name, .help(try scanner.help()))
        }
        try scanner.skipGap()
        let word = String(decoding: scanner.token(), as: UTF8.self)
        scanner.skipBlanks()
        guard scanner.isAtEnd, let type = types[word] else {
            throw ScanFault(.metadata, "\(name) has an unknown type")
        }
        return (name, .type(type))
    }

    private static let types: [String: MetricType] = [
        "counter": .counter, "gauge": .gauge, "histogram": .histogram, "summary": .summary, "untyped": .unknown,
    ]

    private static func sample(_ scanner: inout LineScanner) throws(ScanFault) -> ParsedSample {
        let name = try scanner.metricName()
        scanner.skipBlanks()
        var labels: [Label] = []
        let hasLabels = scanner.rest.first == UInt8(ascii: "{")
        if hasLabels {
            labels = try scanner.labels()
            scanner.skipBlanks()
        }
        guard let number = ParsedNumber(scanner.token()) else {
            throw ScanFault(.value, "the value of \(name) is not a number")
        }
        scanner.skipBlanks()
        var timestamp: Double?
        if !scanner.isAtEnd {
            guard let milliseconds = Int64(String(decoding: scanner.token(), as: UTF8.self)) else {
                throw ScanFault(.timestamp, "the timestamp of \(name) is not a whole number of milliseconds")
            }
            timestamp = Double(milliseconds) / 1000
            scanner.skipBlanks()
        }
        guard scanner.isAtEnd else { throw ScanFault(.syntax, "something follows the sample of \(name)") }
        return ParsedSample(name: name, labels: labels, number: number, timestamp: timestamp, exemplar: nil)
    }
}
