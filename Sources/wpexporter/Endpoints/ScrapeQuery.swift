// SPDX-License-Identifier: MIT

/// The query of a scrape: `name[]=x&name[]=y` asks for some families only, as client_golang's handlers understand it.
enum ScrapeQuery {
    /// More names than anybody asks for.
    private static let maximumNames = 1000

    /// The names; none when the query has none. What is not percent-encoded as it should be names no family.
    static func names(_ query: Substring?) -> Set<String> {
        guard let query else { return [] }
        var names: Set<String> = []
        for pair in query.split(separator: "&", maxSplits: maximumNames) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, decoded(parts[0]) == "name[]", let name = decoded(parts[1]) else { continue }
            names.insert(name)
        }
        return names
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        UInt8(exactly: Character(Unicode.Scalar(byte)).hexDigitValue ?? 256)
    }
}
