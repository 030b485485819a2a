// SPDX-License-Identifier: MIT

/// Reads one JSON text (RFC 8259) from its start to its end, value by value, and checks all of it on the way.
///
/// A caller asks for the parts in their order: ``enterObject()`` and then ``nextKey()`` until that gives nil, each key
/// followed by exactly one value; ``enterArray()`` and then ``nextElement()`` likewise. What it does not want it passes
/// by ``skipValue()``, which checks no less. ``finish()`` ends it.
///
/// Foundation's `JSONDecoder` is not used: it looks only at what it decodes, so that it lets trailing commas, broken
/// numbers and invalid UTF-8 pass everywhere else, and it takes five times as long.
struct JSONReader {
    /// A string's place between its quotes.
    struct Text {
        let range: Range<Int>
        /// Whether it has escapes, so that its bytes are not yet what it says.
        let isEscaped: Bool
    }

    /// A value that is no array and no object.
    enum Scalar {
        case text(Text)
        /// Where its digits stand.
        case number(Range<Int>)
        case truth(Bool)
        /// null, or an array or object, which has been passed.
        case nothing
    }

    let bytes: [UInt8]
    private let maximumDepth: Int
    private var index: Int
    private var depth = 0
    /// Whether the last thing read was the beginning of an array or object.
    private var isFirst = false

    /// Begins a text. A byte order mark is passed over.
    /// - Parameter maximumDepth: how many arrays and objects may stand in one another.
    init(_ bytes: [UInt8], maximumDepth: Int = 64) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Goes into an object, if the next value is one.
    /// - Returns: whether it is; if not, nothing has been read.
    mutating func enterObject() throws(JSONFault) -> Bool {
        try enter(UInt8(ascii: "{"))
    }

    /// Goes into an array, if the next value is one.
    /// - Returns: whether it is; if not, nothing has been read.
    mutating func enterArray() throws(JSONFault) -> Bool {
        try enter(UInt8(ascii: "["))
    }

    /// The next key of the object at hand; nil at its end, which is passed.
    mutating func nextKey() throws(JSONFault) -> Text? {
        guard try goOn(until: UInt8(ascii: "}")) else { return nil }
        skipBlanks()
        guard current == UInt8(ascii: "\"") else { throw fault("a key is missing") }
        let key = try readText()
        skipBlanks()
        guard current == UInt8(ascii: ":") else { throw fault("a colon is missing") }
        index += 1
        return key
    }

    /// Whether the array at hand has another element; its end is passed.
    mutating func nextElement() throws(JSONFault) -> Bool {
        try goOn(until: UInt8(ascii: "]"))
    }

    /// Reads a value; an array or object is passed as a whole.
    mutating func readScalar() throws(JSONFault) -> Scalar {
        skipBlanks()
        switch current {
        case UInt8(ascii: "\""):
            return .text(try readText())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = index
            try passNumber()
            return .number(start..<index)
        case UInt8(ascii: "t"):
            try pass("true")
            return .truth(true)
        case UInt8(ascii: "f"):
            try pass("false")
            return .truth(false)
        case UInt8(ascii: "n"):
            try pass("null")
        case UInt8(ascii: "{"):
            _ = try enterObject()
            while try nextKey() != nil { try skipValue() }
        case UInt8(ascii: "["):
            _ = try enterArray()
            while try nextElement() { try skipValue() }
        default:
            throw fault(index < bytes.count ? "a value is missing" : "it ends too early")
        }
        return .nothing
    }

    /// Passes a value, whatever it is. The limit of the depth bounds the recursion.
    mutating func skipValue() throws(JSONFault) {
        _ = try readScalar()
    }

    /// Passes null, if that is the next value.
    mutating func skipNull() throws(JSONFault) -> Bool {
        skipBlanks()
        guard current == UInt8(ascii: "n") else { return false }
        try pass("null")
        return true
    }

    /// Makes sure that nothing follows.
    mutating func finish() throws(JSONFault) {
        skipBlanks()
        guard index == bytes.count else { throw fault("something follows the value") }
    }

    private mutating func enter(_ opener: UInt8) throws(JSONFault) -> Bool {
        skipBlanks()
        guard current == opener else { return false }
        guard depth < maximumDepth else { throw fault("it is nested deeper than \(maximumDepth) levels") }
        depth += 1
        index += 1
        isFirst = true
        return true
    }

    /// Passes the comma before the next member, or the end.
    private mutating func goOn(until closer: UInt8) throws(JSONFault) -> Bool {
        skipBlanks()
        defer { isFirst = false }
        if current == closer {
            index += 1
            depth -= 1
            return false
        }
        if isFirst { return true }
        guard current == UInt8(ascii: ",") else { throw fault("a comma or a closing bracket is missing") }
        index += 1
        return true
    }

    private mutating func passNumber() throws(JSONFault) {
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

    private mutating func passDigits() throws(JSONFault) {
        let start = index
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(current) { index += 1 }
        guard index > start else { throw fault("a digit is missing in a number") }
    }

    private mutating func pass(_ word: StaticString) throws(JSONFault) {
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

    private func fault(_ problem: String) -> JSONFault {
        JSONFault(problem: problem, offset: index)
    }
}

extension JSONReader {
    /// Reads a string, from its opening quote on.
    private mutating func readText() throws(JSONFault) -> Text {
        index += 1
        let start = index
        var isEscaped = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                defer { index += 1 }
                return Text(range: start..<index, isEscaped: isEscaped)
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
                index += 1
                try passEscape()
            } else if byte < 0x20 {
                throw fault("a control character stands in a string")
            } else if byte < 0x80 {
                index += 1
            } else {
                try passCharacter(byte)
            }
        }
        throw fault("it ends within a string")
    }

    private mutating func passEscape() throws(JSONFault) {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            index += 1
            for _ in 0..<4 {
                guard JSONEscapes.hexValue(current) != nil else { throw fault("an escape in a string is incomplete") }
                index += 1
            }
        default:
            throw fault("an escape in a string is unknown")
        }
    }

    /// Passes a character of several bytes, which must be as table 3-7 of the Unicode standard says.
    private mutating func passCharacter(_ lead: UInt8) throws(JSONFault) {
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch lead {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: throw fault("it is not UTF-8")
            }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { throw fault("it is not UTF-8") }
        for place in index + 2..<max(index + 2, index + length) where bytes[place] & 0xC0 != 0x80 {
            throw fault("it is not UTF-8")
        }
        index += length
    }
}
