// SPDX-License-Identifier: MIT

/// Durations in the notation of settings: `300ms`, `5s`, `1m30s`, `2h`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Parses whole numbers with the units h, m, s and ms, from large to small, each at most once.
    /// - Throws: ``Malformed`` for anything else, such as a number without a unit, and for a value that exceeds 64
    ///   bits.
    package static func parse(_ text: String) throws(Malformed) -> Duration {
        var rest = Array(text.utf8)[...]
        var remaining = units[...]
        var total: Int64 = 0
        guard !rest.isEmpty else { throw Malformed("it is empty") }
        while !rest.isEmpty {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) }
            rest = rest.dropFirst(letters.count)
            guard !digits.isEmpty else { throw Malformed("a whole number must precede each unit") }
            guard !letters.isEmpty else {
                throw rest.isEmpty
                    ? Malformed("a number needs a unit: h, m, s or ms")
                    : Malformed("only whole numbers and units are allowed")
            }
            let name = String(decoding: letters, as: UTF8.self)
            guard let index = remaining.firstIndex(where: { $0.name == name }) else {
                throw units.contains { $0.name == name }
                    ? Malformed("the units must go from large to small, each once")
                    : Malformed("the units are h, m, s and ms")
            }
            let unit = units[index].milliseconds
            remaining = units[(index + 1)...]
            guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { throw Malformed("it is too long") }
            let (product, tooLarge) = number.multipliedReportingOverflow(by: unit)
            let (sum, overflow) = total.addingReportingOverflow(product)
            guard !tooLarge, !overflow else { throw Malformed("it is too long") }
            total = sum
        }
        return .milliseconds(total)
    }

    /// The shortest text of a duration, to the millisecond; a negative one is `0s`.
    package static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return "0s" }
        let parts: [(Int64, String)] = [
            (seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
            (attoseconds / 1_000_000_000_000_000, "ms"),
        ]
        let text = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        return text.isEmpty ? "0s" : text
    }

    /// Why a string is not a duration. The message does not quote it.
    package struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
