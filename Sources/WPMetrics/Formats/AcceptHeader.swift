// SPDX-License-Identifier: MIT

/// The `Accept` header (RFC 9110, section 12.5.1).
enum AcceptHeader {
    /// A media range that a client accepts.
    struct MediaRange: Equatable {
        let type: String
        let subtype: String
        /// By lower-case name, without the quality.
        let parameters: [String: String]
        /// The quality, 0…1.
        let quality: Double

        /// How specifically this range matches a media type, from 0 for `*/*` to 3 with the version; nil if it does not
        /// match.
        func specificity(for type: String, _ subtype: String, version: String) -> Int? {
            switch (self.type, self.subtype) {
            case (type, subtype):
                guard let wanted = parameters["version"] else { return 2 }
                return wanted == version ? 3 : nil
            case (type, "*"): return 1
            case ("*", "*"): return 0
            default: return nil
            }
        }
    }

    /// The range that applies to a media type.
    struct Match {
        let range: MediaRange
        let specificity: Int
        let position: Int

        /// Whether its media type is preferred: by quality, then specificity, then order.
        static func > (lhs: Match, rhs: Match) -> Bool {
            (lhs.range.quality, lhs.specificity, -lhs.position) > (rhs.range.quality, rhs.specificity, -rhs.position)
        }
    }

    /// The most specific range that matches a media type, or the first of several equally specific ones; nil if none
    /// matches.
    static func match(_ ranges: [MediaRange], _ type: String, _ subtype: String, version: String) -> Match? {
        let matches = ranges.enumerated().compactMap { position, range in
            range.specificity(for: type, subtype, version: version).map {
                Match(range: range, specificity: $0, position: position)
            }
        }
        return matches.max { ($0.specificity, -$0.position) < ($1.specificity, -$1.position) }
    }

    /// The maximum number of parsed ranges, more than any scraper sends.
    private static let maximumRanges = 64

    /// The ranges in order. Malformed ones are ignored.
    static func parse(_ header: String) -> [MediaRange] {
        split(header.utf8[...], at: UInt8(ascii: ",")).prefix(maximumRanges).compactMap(range)
    }

    private static func range(_ text: Substring.UTF8View) -> MediaRange? {
        let parts = split(text, at: UInt8(ascii: ";"))
        guard let first = parts.first else { return nil }
        let mediaType = token(first).split(separator: "/", omittingEmptySubsequences: false)
        guard mediaType.count == 2, !mediaType[0].isEmpty, !mediaType[1].isEmpty else { return nil }
        var parameters: [String: String] = [:]
        var quality = 1.0
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = token(part[..<equals])
            let value = token(part[part.index(after: equals)...])
            if name == "q" {
                guard let parsed = self.quality(value) else { return nil }
                quality = parsed
            } else {
                parameters[name] = value
            }
        }
        return MediaRange(
            type: String(mediaType[0]),
            subtype: String(mediaType[1]),
            parameters: parameters,
            quality: quality
        )
    }

    /// Parses a quality, 0…1, which consists of digits and a decimal point.
    private static func quality(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ Names.isDigit($0) || $0 == UInt8(ascii: ".") }) else { return nil }
        guard let value = Double(text), (0...1).contains(value) else { return nil }
        return value
    }

    /// The text in lower case, without surrounding spaces and quotes.
    private static func token(_ text: Substring.UTF8View) -> String {
        func isOuter(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\"")
        }
        let start = text.drop(while: isOuter)
        let end = start.lastIndex { !isOuter($0) }.map { start.index(after: $0) } ?? start.startIndex
        return String(decoding: start[..<end], as: UTF8.self).lowercased()
    }

    /// Splits text at separators that are not in quotes.
    private static func split(_ text: Substring.UTF8View, at separator: UInt8) -> [Substring.UTF8View] {
        var isQuoted = false
        return text.split(omittingEmptySubsequences: false) { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == separator && !isQuoted
        }
    }
}
