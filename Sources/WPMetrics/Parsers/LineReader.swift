// SPDX-License-Identifier: MIT

/// Iterates over the lines of a string, numbered from 1.
struct LineReader {
    private var rest: ArraySlice<UInt8>
    private let maximumLineLength: Int
    /// The number of the last line read.
    private(set) var line = 0
    /// Whether that line has a line feed.
    private(set) var isTerminated = true

    init(_ bytes: [UInt8], _ limits: ParserLimits) throws(ScanFault) {
        guard bytes.count <= limits.maximumSize else {
            throw ScanFault(.limit, "the text has more than \(limits.maximumSize) bytes")
        }
        rest = bytes[...]
        maximumLineLength = limits.maximumLineLength
    }

    /// The next line without its line feed; nil at the end.
    mutating func next() throws(ScanFault) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        line += 1
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let text = rest[..<(end ?? rest.endIndex)]
        isTerminated = end != nil
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        guard text.count <= maximumLineLength else {
            throw ScanFault(.limit, "the line has more than \(maximumLineLength) bytes").at(line: line)
        }
        return text
    }
}
