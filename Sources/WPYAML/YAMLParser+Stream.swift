// SPDX-License-Identifier: MIT

/// Documents and directives (YAML 1.2.2, chapters 6.8 and 9).
extension YAMLParser {
    /// Reads the whole text as one document; nil if there is none.
    mutating func stream() throws(YAMLFault) -> YAMLNode? {
        try skipToContent()
        let hasDirective = try directives()
        if !hasDirective { try skipDocumentEnds() }
        if isAtEnd {
            if hasDirective { throw fault(.syntax, "a directive must be followed by --- and a document") }
            return nil
        }
        let root: YAMLNode
        if isAtMarker(.dash) {
            advance(3)
            root = try blockNode(parent: -1, in: .markerLine)
        } else if hasDirective {
            throw fault(.syntax, "a directive must be followed by ---")
        } else {
            root = try blockNode(parent: -1, in: .document)
        }
        guard isAtBoundary else {
            throw fault(.syntax, "there is more text after the document's value; check the indentation of this line")
        }
        try skipDocumentEnds()
        guard isAtEnd else { throw fault(.unsupported, "the text has a second document; only one is allowed") }
        return root
    }

    private mutating func skipDocumentEnds() throws(YAMLFault) {
        while isAtMarker(.dot) {
            advance(3)
            try finishLine()
        }
    }

    private mutating func directives() throws(YAMLFault) -> Bool {
        var hasVersion = false
        while byte == .percent && indent == 0 {
            let start = cursor
            skipToWhitespace()
            let name = String(decoding: bytes[start.offset..<cursor.offset], as: UTF8.self)
            guard name == "%YAML" else {
                cursor = start
                throw fault(.unsupported, "only the directive %YAML is supported")
            }
            guard !hasVersion else { throw fault(.syntax, "the directive %YAML is given twice") }
            hasVersion = true
            skipBlanks()
            let version = cursor
            skipToWhitespace()
            let digits = bytes[version.offset..<cursor.offset].split(separator: .dot, omittingEmptySubsequences: false)
            guard digits.count == 2, digits[0].elementsEqual([UInt8(ascii: "1")]), !digits[1].isEmpty,
                digits[1].allSatisfy({ (0x30...0x39).contains($0) })
            else {
                cursor = version
                throw fault(.unsupported, "only %YAML 1.x is supported")
            }
            try finishLine()
        }
        return hasVersion
    }

    private mutating func skipToWhitespace() {
        while !Self.isSpaceOrEnd(byte) { advance() }
    }
}
