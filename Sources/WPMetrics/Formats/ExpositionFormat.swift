// SPDX-License-Identifier: MIT

/// An exposition format, with content negotiation.
public struct ExpositionFormat: Sendable, Hashable {
    /// The syntaxes.
    package enum Syntax: Sendable, Hashable, CaseIterable {
        /// The Prometheus text format 0.0.4: ``TextFormat``.
        case text
        /// OpenMetrics 1.0.0: ``OpenMetricsFormat``.
        case openMetrics
    }

    /// The ways to write names outside the classic character set (prometheus.io/docs/instrumenting/escaping_schemes).
    /// All names of this library are in that set, so no scheme changes them.
    package enum NameEscaping: String, Sendable, Hashable, CaseIterable {
        /// Any UTF-8, quoted.
        case allowUTF8 = "allow-utf-8"
        /// `_` for each other character.
        case underscores
        /// `_dot_` for dots, and the like.
        case dots
        /// `U__` and code points.
        case values
    }

    /// The syntax.
    package let syntax: Syntax
    /// The escaping scheme that the scraper requested; nil for none. Only for OpenMetrics.
    package let escaping: NameEscaping?

    /// The Prometheus text format 0.0.4.
    public static let text = ExpositionFormat(.text)
    /// OpenMetrics 1.0.0.
    public static let openMetrics = ExpositionFormat(.openMetrics)

    /// Creates a format.
    package init(_ syntax: Syntax, escaping: NameEscaping? = nil) {
        self.syntax = syntax
        self.escaping = escaping
    }

    /// The value of the `Content-Type` header, which Prometheus 3 requires.
    public var contentType: String {
        switch syntax {
        case .text: TextFormat.contentType
        case .openMetrics: OpenMetricsFormat.contentType + (escaping.map { "; escaping=" + $0.rawValue } ?? "")
        }
    }

    /// Encodes a whole exposition.
    public func encode(_ families: [MetricFamily]) -> [UInt8] {
        switch syntax {
        case .text: TextFormat.encode(families)
        case .openMetrics: OpenMetricsFormat.encode(families)
        }
    }

    /// Parses a whole exposition strictly. The output of ``encode(_:)`` round-trips, except for what the format cannot
    /// express.
    ///
    /// Accepts at most 256 MiB with lines of 1 MiB, 100,000 families and 10 million samples.
    /// - Throws: ``ExpositionParseError`` with the first invalid line; for an inconsistent family, its first line.
    public func parse(_ bytes: [UInt8]) throws(ExpositionParseError) -> [MetricFamily] {
        try parse(bytes, limits: ParserLimits())
    }

    package func parse(
        _ bytes: [UInt8],
        limits: ParserLimits
    ) throws(ExpositionParseError) -> [MetricFamily] {
        try ExpositionReader.parse(bytes, syntax, limits)
    }

    /// Chooses the format for a request: the acceptable one with the highest quality (RFC 9110, 12.5.1), then the most
    /// specific, then the first.
    ///
    /// A client that accepts none of the formats gets the text format
    /// (prometheus.io/docs/instrumenting/content_negotiation). Unsupported versions and unknown escaping schemes are
    /// ignored.
    /// - Parameters:
    ///   - accept: the values of the `Accept` header, in order; empty if there is none.
    ///   - offersOpenMetrics: whether OpenMetrics may be chosen.
    public static func negotiate(accept: [String], offersOpenMetrics: Bool = true) -> ExpositionFormat {
        guard !accept.isEmpty else { return .text }
        let ranges = AcceptHeader.parse(accept.count == 1 ? accept[0] : accept.joined(separator: ","))
        guard offersOpenMetrics,
            let openMetrics = AcceptHeader.match(ranges, "application", "openmetrics-text", version: "1.0.0"),
            openMetrics.range.quality > 0
        else { return .text }
        if let text = AcceptHeader.match(ranges, "text", "plain", version: "0.0.4"), !(openMetrics > text) {
            return .text
        }
        let escaping = openMetrics.range.parameters["escaping"]
        // The specification and Prometheus spell this scheme differently.
        let scheme = escaping == "allow-utf8" ? .allowUTF8 : escaping.flatMap(NameEscaping.init)
        return ExpositionFormat(.openMetrics, escaping: scheme)
    }
}
