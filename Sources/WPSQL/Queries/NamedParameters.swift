// SPDX-License-Identifier: MIT

/// A statement with named parameters, `:name`.
///
/// String literals, quoted identifiers, comments and casts (`::`) are left unchanged; `\:` is a colon, as in
/// SQLAlchemy's `text()`.
struct NamedParameters {
    /// The text before, between and after the parameters.
    private var pieces: [String] = []
    /// The names of the parameters, by position.
    private var occurrences: [String] = []

    /// The names of the parameters, without duplicates.
    var names: [String] {
        var seen: Set<String> = []
        return occurrences.filter { seen.insert($0).inserted }
    }

    /// The statement with each parameter replaced.
    func text(_ replacement: (String) -> String) -> String {
        zip(pieces, occurrences.map(replacement) + [""]).map { $0 + $1 }.joined()
    }

    private let bytes: [UInt8]
    private var index = 0
    private var output: [UInt8] = []
    private var pieceStart = 0

    init(_ sql: String) {
        bytes = Array(sql.utf8)
        while index < bytes.count { step() }
        pieces.append(String(decoding: output[pieceStart...], as: UTF8.self))
    }

    private func peek(_ distance: Int = 0) -> UInt8 { index + distance < bytes.count ? bytes[index + distance] : 0 }

    private mutating func step() {
        switch (peek(), peek(1)) {
        case (UInt8(ascii: "\\"), UInt8(ascii: ":")):
            index += 1
            copy(1)
        case (UInt8(ascii: "'"), _):
            let before = output.last ?? 0
            let isEscaped = before == UInt8(ascii: "E") || before == UInt8(ascii: "e")
            copyQuoted(UInt8(ascii: "'"), hasBackslashes: isEscaped)
        case (UInt8(ascii: "\""), _): copyQuoted(UInt8(ascii: "\""), hasBackslashes: false)
        case (UInt8(ascii: "-"), UInt8(ascii: "-")):
            while index < bytes.count, peek() != UInt8(ascii: "\n") { copy(1) }
        case (UInt8(ascii: "/"), UInt8(ascii: "*")): copyComment()
        case (UInt8(ascii: "$"), _): copyDollarQuoted()
        case (UInt8(ascii: ":"), UInt8(ascii: ":")): copy(2)
        case (UInt8(ascii: ":"), let next) where Self.isWord(next) && !Self.isWord(output.last ?? 0): takeName()
        default: copy(1)
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private mutating func copy(_ count: Int) {
        let end = min(index + count, bytes.count)
        output.append(contentsOf: bytes[index..<end])
        index = end
    }

    private mutating func takeName() {
        index += 1
        let start = index
        while Self.isWord(peek()) { index += 1 }
        occurrences.append(String(decoding: bytes[start..<index], as: UTF8.self))
        pieces.append(String(decoding: output[pieceStart...], as: UTF8.self))
        pieceStart = output.count
    }

    private mutating func copyQuoted(_ quote: UInt8, hasBackslashes: Bool) {
        copy(1)
        while index < bytes.count {
            if hasBackslashes, peek() == UInt8(ascii: "\\") {
                copy(2)
            } else if peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: ":") {
                index += 1
                copy(1)
            } else if peek() == quote {
                copy(1)
                guard peek() == quote else { return }
                copy(1)
            } else {
                copy(1)
            }
        }
    }

    private mutating func copyComment() {
        var depth = 0
        repeat {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                copy(2)
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                copy(2)
            } else {
                copy(1)
            }
        } while depth > 0 && index < bytes.count
    }

    private mutating func copyDollarQuoted() {
        var end = index + 1
        while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
        let isTag = end < bytes.count && bytes[end] == UInt8(ascii: "$") && !(0x30...0x39).contains(peek(1))
        guard isTag, !Self.isWord(output.last ?? 0) else { return copy(1) }
        let tag = bytes[index...end]
        copy(tag.count)
        while index < bytes.count {
            if bytes[index...].starts(with: tag) { return copy(tag.count) }
            copy(1)
        }
    }
}
