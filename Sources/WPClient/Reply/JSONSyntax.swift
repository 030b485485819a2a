// SPDX-License-Identifier: MIT

/// Checks that bytes are one JSON text (RFC 8259) that is not nested too deeply.
///
/// `JSONDecoder` looks only at what it decodes: in everything else it lets trailing commas, broken numbers, bad escapes
/// and invalid UTF-8 pass, and how deep it goes is not documented. A reply that is damaged anywhere cannot be
/// trusted, so it is checked as a whole first.
struct JSONSyntax {
    /// What is wrong, and where.
    struct Fault: Error, Hashable {
        let problem: String
        /// The offset of the byte that is wrong, from 0; nil when that is not known.
        let offset: Int?
        /// Whether it is sound but for bytes in its strings that are not UTF-8.
        var isOnlyEncoding = false
    }

    /// Valid for as long as the check runs.
    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private var index: Int
    private var isASCII = true
    private var outline = JSONOutline()

    /// Checks a text.
    /// - Parameter maximumDepth: how many arrays and objects may stand in one another.
    /// - Returns: which keys stand where.
    @discardableResult
    static func check(_ bytes: [UInt8], maximumDepth: Int = 64) throws(Fault) -> JSONOutline {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Fault) in
            var syntax = JSONSyntax(bytes: buffer, maximumDepth: maximumDepth)
            var fault: Fault?
            do throws(Fault) {
                try syntax.passText()
            } catch {
                fault = error
            }
            // Between the strings everything that is right is ASCII. What is not UTF-8 may be wrong everywhere.
            guard syntax.isASCII && fault == nil || String(validating: buffer, as: UTF8.self) != nil else {
                throw Fault(problem: "it is not UTF-8", offset: nil, isOnlyEncoding: fault == nil)
            }
            if let fault { throw fault }
            return syntax.outline
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    private mutating func passText() throws(Fault) {
        try passValue(depth: 0, of: JSONOutline.root)
        skipBlanks()
        guard index == bytes.count else { throw fault("something follows the value") }
    }

    /// - Parameters:
    ///   - depth: how many arrays and objects the value stands in; its limit bounds the recursion.
    ///   - place: where the value stands.
    private mutating func passValue(depth: Int, of place: JSONOutline.Place) throws(Fault) {
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"): try passMembers(depth: depth + 1, of: place)
        case UInt8(ascii: "["): try passElements(depth: depth + 1, of: place)
        case UInt8(ascii: "\""): try passString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try passNumber()
        case UInt8(ascii: "t"): try pass("true")
        case UInt8(ascii: "f"): try pass("false")
        case UInt8(ascii: "n"): try pass("null")
        default: throw fault(index < bytes.count ? "a value is missing" : "it ends too early")
        }
    }

    private mutating func passElements(depth: Int, of place: JSONOutline.Place) throws(Fault) {
        guard try enter(depth: depth, closer: UInt8(ascii: "]")) else { return }
        repeat {
            // The elements of an array share its place.
            try passValue(depth: depth, of: place)
        } while try passComma(or: UInt8(ascii: "]"))
    }

    private mutating func passMembers(depth: Int, of place: JSONOutline.Place) throws(Fault) {
        guard try enter(depth: depth, closer: UInt8(ascii: "}")) else { return }
        var key: JSONOutline.Place?
        repeat {
            key = outline.note(try passKey(), below: place, after: key)
            try passValue(depth: depth, of: key ?? JSONOutline.nowhere)
        } while try passComma(or: UInt8(ascii: "}"))
    }

    /// - Returns: whether there is anything before the closing bracket.
    private mutating func enter(depth: Int, closer: UInt8) throws(Fault) -> Bool {
        guard depth <= maximumDepth else { throw fault("it is nested deeper than \(maximumDepth) levels") }
        index += 1
        skipBlanks()
        guard current == closer else { return true }
        index += 1
        return false
    }

    /// - Returns: whether more follows.
    private mutating func passComma(or closer: UInt8) throws(Fault) -> Bool {
        skipBlanks()
        let byte = current
        guard byte == UInt8(ascii: ",") || byte == closer else {
            throw fault("a comma or a closing bracket is missing")
        }
        index += 1
        return byte != closer
    }

    /// - Returns: the key as it is written, without its quotes.
    private mutating func passKey() throws(Fault) -> UnsafeBufferPointer<UInt8> {
        skipBlanks()
        guard current == UInt8(ascii: "\"") else { throw fault("a key is missing") }
        let start = index + 1
        try passString()
        let key = UnsafeBufferPointer(rebasing: bytes[start..<(index - 1)])
        skipBlanks()
        guard current == UInt8(ascii: ":") else { throw fault("a colon is missing") }
        index += 1
        return key
    }

    private mutating func passString() throws(Fault) {
        var end = index + 1
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") {
                index = end + 1
                return
            }
            end += 1
            if byte == UInt8(ascii: "\\") {
                index = end
                try passEscape()
                end = index
            } else if byte < 0x20 {
                index = end - 1
                throw fault("a control character stands in a string")
            } else if byte >= 0x80 {
                isASCII = false
            }
        }
        index = end
        throw fault("it ends within a string")
    }

    private mutating func passEscape() throws(Fault) {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            index += 1
            for _ in 0..<4 {
                switch current {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    index += 1
                default:
                    throw fault("an escape in a string is incomplete")
                }
            }
        default:
            throw fault("an escape in a string is unknown")
        }
    }

    private mutating func passNumber() throws(Fault) {
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") {
            index += 1
        } else {
            try passDigits()
        }
        if current == UInt8(ascii: ".") {
            index += 1
            try passDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            try passDigits()
        }
    }

    private mutating func passDigits() throws(Fault) {
        let start = index
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(current) { index += 1 }
        guard index > start else { throw fault("a digit is missing in a number") }
    }

    private mutating func pass(_ word: StaticString) throws(Fault) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[offset] else { throw fault("a value is missing") }
            index += 1
        }
    }

    private mutating func skipBlanks() {
        while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 { index += 1 }
    }

    /// The byte at hand; at the end a zero, which may stand nowhere in JSON.
    private var current: UInt8 {
        index < bytes.count ? bytes[index] : 0
    }

    private func fault(_ problem: String) -> Fault {
        Fault(problem: problem, offset: index)
    }
}
