// SPDX-License-Identifier: MIT

/// Checks that bytes are one JSON text (RFC 8259) that is not nested too deeply.
///
/// `JSONDecoder` looks only at what it decodes: in everything else it lets trailing commas, broken numbers, bad escapes
/// and invalid UTF-8 pass, and how deep it goes is not documented. A reply that is damaged anywhere is not to be
/// trusted, so it is checked as a whole first.
struct JSONSyntax {
    /// What is wrong, and where.
    struct Fault: Error, Hashable {
        let problem: String
        /// The offset of the byte that is wrong, from 0; nil when that is not known.
        let offset: Int?
    }

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var index: Int

    /// Checks a text.
    /// - Parameter maximumDepth: how many arrays and objects may stand in one another.
    static func check(_ bytes: [UInt8], maximumDepth: Int = 64) throws(Fault) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Fault(problem: "it is not UTF-8", offset: nil)
        }
        var syntax = JSONSyntax(bytes: bytes, maximumDepth: maximumDepth)
        try syntax.passValue(depth: 0)
        syntax.skipBlanks()
        guard syntax.index == bytes.count else { throw syntax.fault("something follows the value") }
    }

    private init(bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// - Parameter depth: how many arrays and objects the value stands in; its limit bounds the recursion.
    private mutating func passValue(depth: Int) throws(Fault) {
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"): try passElements(until: UInt8(ascii: "}"), depth: depth + 1)
        case UInt8(ascii: "["): try passElements(until: UInt8(ascii: "]"), depth: depth + 1)
        case UInt8(ascii: "\""): try passString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try passNumber()
        case UInt8(ascii: "t"): try pass("true")
        case UInt8(ascii: "f"): try pass("false")
        case UInt8(ascii: "n"): try pass("null")
        default: throw fault(index < bytes.count ? "a value is missing" : "it ends too early")
        }
    }

    private mutating func passElements(until closer: UInt8, depth: Int) throws(Fault) {
        guard depth <= maximumDepth else { throw fault("it is nested deeper than \(maximumDepth) levels") }
        index += 1
        skipBlanks()
        if current == closer {
            index += 1
            return
        }
        while true {
            if closer == UInt8(ascii: "}") { try passKey() }
            try passValue(depth: depth)
            skipBlanks()
            switch current {
            case UInt8(ascii: ","):
                index += 1
            case closer:
                index += 1
                return
            default:
                throw fault("a comma or a closing bracket is missing")
            }
        }
    }

    private mutating func passKey() throws(Fault) {
        skipBlanks()
        guard current == UInt8(ascii: "\"") else { throw fault("a key is missing") }
        try passString()
        skipBlanks()
        guard current == UInt8(ascii: ":") else { throw fault("a colon is missing") }
        index += 1
    }

    private mutating func passString() throws(Fault) {
        index += 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"):
                index += 1
                try passEscape()
            case 0..<0x20:
                throw fault("a control character stands in a string")
            default:
                index += 1
            }
        }
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
