// SPDX-License-Identifier: MIT

/// Scans one line, from left to right.
struct LineScanner {
    private(set) var rest: ArraySlice<UInt8>
    private let syntax: ExpositionFormat.Syntax
    private let maximumLabels: Int

    init(_ line: ArraySlice<UInt8>, _ syntax: ExpositionFormat.Syntax, maximumLabels: Int) {
        rest = line
        self.syntax = syntax
        self.maximumLabels = maximumLabels
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Skips spaces and tabs, which only the text format allows between tokens.
    mutating func skipBlanks() {
        guard syntax == .text else { return }
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Skips the separator between two tokens: spaces and tabs, or the single space of OpenMetrics.
    mutating func skipGap() throws(ScanFault) {
        let before = rest.count
        if syntax == .text { skipBlanks() } else { skip(UInt8(ascii: " ")) }
        guard rest.count < before else { throw ScanFault(.syntax, "a space is missing") }
    }

    /// Skips a byte.
    /// - Returns: whether it was present.
    @discardableResult
    mutating func skip(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    /// Skips fixed text.
    /// - Returns: whether it was present.
    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest.removeFirst(text.utf8.count)
        return true
    }

    /// Reads up to the next blank or the end.
    mutating func token() -> ArraySlice<UInt8> {
        let token = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        rest = rest[token.endIndex...]
        return token
    }

    /// Reads the name of a metric.
    mutating func metricName() throws(ScanFault) -> String {
        let name = rest.prefix { Names.isLetter($0) || Names.isDigit($0) || $0 == UInt8(ascii: ":") }
        guard Names.isMetricName(name) else { throw ScanFault(.syntax, "a metric name is missing") }
        rest = rest[name.endIndex...]
        return String(decoding: name, as: UTF8.self)
    }

    /// Reads labels in braces.
    mutating func labels() throws(ScanFault) -> [Label] {
        guard skip(UInt8(ascii: "{")) else { throw ScanFault(.labels, "the labels' '{' is missing") }
        var labels: [Label] = []
        skipBlanks()
        while !skip(UInt8(ascii: "}")) {
            guard labels.count < maximumLabels else { throw ScanFault(.limit, "there are too many labels") }
            labels.append(try label())
            skipBlanks()
            if skip(UInt8(ascii: ",")) {
                skipBlanks()
                if rest.first == UInt8(ascii: "}"), syntax == .openMetrics {
                    throw ScanFault(.labels, "a comma follows the last label")
                }
            } else if rest.first != UInt8(ascii: "}") {
                throw ScanFault(.labels, "a ',' or '}' is missing after a label")
            }
        }
        return labels
    }

    private mutating func label() throws(ScanFault) -> Label {
        let name = rest.prefix { Names.isLetter($0) || Names.isDigit($0) }
        guard Names.isLabelName(name) else { throw ScanFault(.labels, "a label name is missing") }
        rest = rest[name.endIndex...]
        skipBlanks()
        guard skip(UInt8(ascii: "=")) else { throw ScanFault(.labels, "the '=' of a label is missing") }
        skipBlanks()
        guard skip(UInt8(ascii: "\"")) else { throw ScanFault(.labels, "the quotes of a label are missing") }
        let end = try endOfQuoted()
        let value = try unescape(rest[..<end], quotes: true)
        rest = rest[(end + 1)...]
        return Label(String(decoding: name, as: UTF8.self), value)
    }

    private func endOfQuoted() throws(ScanFault) -> Int {
        var isEscaped = false
        for index in rest.indices {
            if isEscaped {
                isEscaped = false
            } else if rest[index] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if rest[index] == UInt8(ascii: "\"") {
                return index
            }
        }
        throw ScanFault(.labels, "the closing quotes of a label are missing")
    }

    /// Reads the rest of the line as a help text.
    mutating func help() throws(ScanFault) -> String {
        defer { rest = rest[rest.endIndex...] }
        return try unescape(rest, quotes: syntax == .openMetrics)
    }

    /// Resolves escapes. OpenMetrics keeps an unknown escape `\x` as it is; the text format rejects it.
    private func unescape(_ text: ArraySlice<UInt8>, quotes: Bool) throws(ScanFault) -> String {
        guard text.contains(UInt8(ascii: "\\")) else { return try string(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var isEscaped = false
        for byte in text {
            switch (isEscaped, byte) {
            case (false, UInt8(ascii: "\\")):
                isEscaped = true
                continue
            case (true, UInt8(ascii: "n")): bytes.append(UInt8(ascii: "\n"))
            case (true, UInt8(ascii: "\"")) where quotes, (true, UInt8(ascii: "\\")), (false, _): bytes.append(byte)
            case (true, _):
                guard syntax == .openMetrics else { throw ScanFault(.encoding, "an escape is unknown") }
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            }
            isEscaped = false
        }
        if isEscaped {
            guard syntax == .openMetrics else { throw ScanFault(.encoding, "an escape is truncated") }
            bytes.append(UInt8(ascii: "\\"))
        }
        return try string(bytes[...])
    }

    private func string(_ bytes: ArraySlice<UInt8>) throws(ScanFault) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw ScanFault(.encoding, "the text is not UTF-8")
        }
        return string
    }
}
