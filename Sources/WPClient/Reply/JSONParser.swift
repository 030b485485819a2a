// SPDX-License-Identifier: MIT

/// Parses one JSON text (RFC 8259) with a maximum depth.
///
/// The whole text is validated before any of it is used, because a damaged reply cannot be trusted.
struct JSONParser {
    /// What is wrong, and where.
    struct Fault: Error, Hashable {
        let problem: String
        /// The offset of the invalid byte, from 0; nil if unknown.
        let offset: Int?
    }

    /// Valid only while the parser runs.
    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private var index: Int
    private var isRepaired = false

    /// Parses a JSON text.
    /// - Parameter maximumDepth: the maximum nesting depth.
    /// - Returns: its value, and whether invalid Unicode in its strings was replaced by U+FFFD, because one bad byte in
    ///   a device's name must not fail the whole fleet.
    static func parse(
        _ bytes: [UInt8],
        maximumDepth: Int = 64
    ) throws(Fault) -> (value: JSONValue, isRepaired: Bool) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Fault) in
            var parser = JSONParser(bytes: buffer, maximumDepth: maximumDepth)
            do throws(Fault) {
                let value = try parser.value(depth: 0)
                parser.skipBlanks()
                guard parser.index == buffer.count else { throw parser.fault("unexpected text after the value") }
                return (value, parser.isRepaired)
            } catch {
                // In text that is not UTF-8, the offset of the error would be misleading.
                guard String(validating: buffer, as: UTF8.self) != nil else {
                    throw Fault(problem: "it is not UTF-8", offset: nil)
                }
                throw error
            }
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// - Parameter depth: the nesting depth of the value; its limit bounds the recursion.
    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"):
            try pass("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try pass("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try pass("null")
            return .null
        default: throw fault(index < bytes.count ? "a value is missing" : "it ends too early")
        }
    }

    private mutating func array(depth: Int) throws(Fault) -> [JSONValue] {
        var elements: [JSONValue] = []
        guard try enter(depth: depth, closer: UInt8(ascii: "]")) else { return elements }
        repeat { elements.append(try value(depth: depth)) } while try passComma(or: UInt8(ascii: "]"))
        return elements
    }

    private mutating func object(depth: Int) throws(Fault) -> JSONObject {
        var members: [(name: String, value: JSONValue)] = []
        guard try enter(depth: depth, closer: UInt8(ascii: "}")) else { return JSONObject() }
        repeat {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw fault("a key is missing") }
            let name = try string()
            skipBlanks()
            guard current == UInt8(ascii: ":") else { throw fault("a colon is missing") }
            index += 1
            members.append((name, try value(depth: depth)))
        } while try passComma(or: UInt8(ascii: "}"))
        return JSONObject(members)
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

    // MARK: Strings

    private mutating func string() throws(Fault) -> String {
        index += 1
        var start = index
        // The unescaped text up to the last escape; empty for a string without escapes.
        var unescaped: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                let rest = UnsafeBufferPointer(rebasing: bytes[start..<index])
                index += 1
                if unescaped.isEmpty { return text(rest) }
                return (unescaped + rest).withUnsafeBufferPointer { text($0) }
            }
            guard byte >= 0x20 else { throw fault("a control character in a string is not escaped") }
            guard byte == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            unescaped += bytes[start..<index]
            index += 1
            unescaped += try escape().utf8
            start = index
        }
        throw fault("it ends within a string")
    }

    private mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) -> String {
        if let text = String(validating: utf8, as: UTF8.self) { return text }
        isRepaired = true
        return String(decoding: utf8, as: UTF8.self)
    }

    /// The character after a backslash.
    private mutating func escape() throws(Fault) -> Character {
        let byte = current
        guard byte != UInt8(ascii: "u") else { return Character(try escapedScalar()) }
        let character: Character? =
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Character(Unicode.Scalar(byte))
            case UInt8(ascii: "b"): "\u{8}"
            case UInt8(ascii: "f"): "\u{C}"
            case UInt8(ascii: "n"): "\n"
            case UInt8(ascii: "r"): "\r"
            case UInt8(ascii: "t"): "\t"
            default: nil
            }
        guard let character else { throw fault("an escape in a string is unknown") }
        index += 1
        return character
    }

    /// The scalar of a `u` and four digits, or of two such escapes that form a surrogate pair.
    private mutating func escapedScalar() throws(Fault) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let start = index
        if UTF16.isLeadSurrogate(first), current == UInt8(ascii: "\\") {
            index += 1
            if current == UInt8(ascii: "u") {
                let second = try codeUnit()
                let (high, low) = (UInt32(first) & 0x3FF, UInt32(second) & 0x3FF)
                if UTF16.isTrailSurrogate(second), let pair = Unicode.Scalar(0x10000 + high << 10 + low) { return pair }
            }
        }
        // An unpaired surrogate: the following text is parsed separately.
        index = start
        isRepaired = true
        return "\u{FFFD}"
    }

    private mutating func codeUnit() throws(Fault) -> UInt16 {
        index += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard current < 0x80, let digit = Character(Unicode.Scalar(current)).hexDigitValue else {
                throw fault("an escape in a string is incomplete")
            }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    // MARK: Numbers and words

    private mutating func number() throws(Fault) -> String {
        let start = index
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
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
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

    /// The current byte; at the end 0, which is invalid in JSON.
    private var current: UInt8 {
        index < bytes.count ? bytes[index] : 0
    }

    private func fault(_ problem: String) -> Fault {
        Fault(problem: problem, offset: index)
    }
}
