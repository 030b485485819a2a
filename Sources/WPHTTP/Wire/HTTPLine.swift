// SPDX-License-Identifier: MIT

/// Finds and validates lines that end in CR LF.
enum HTTPLine {
    static let strayCarriageReturn = HTTPWireError(.lineEnding, "A carriage return is not followed by a line feed.")

    /// Finds the end of a line.
    /// - Returns: the index of the CR that ends the line; nil if the line is incomplete.
    /// - Throws: for a control character, a lone CR or LF, or a line over its limit.
    static func find(
        in bytes: UnsafeRawBufferPointer,
        from start: Int,
        maxBytes: Int,
        tooLong: () -> HTTPWireError
    ) throws(HTTPWireError) -> Int? {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == HTTPSyntax.carriageReturn {
                guard index + 1 < bytes.count else { return nil }
                guard bytes[index + 1] == HTTPSyntax.lineFeed else { throw strayCarriageReturn }
                return index
            }
            if HTTPSyntax.isControl(byte) {
                throw byte == HTTPSyntax.lineFeed
                    ? HTTPWireError(.lineEnding, "A line feed is not preceded by a carriage return.")
                    : HTTPWireError(.controlCharacter, "The head contains a control character.")
            }
            guard index - start < maxBytes else { throw tooLong() }
            index += 1
        }
        return nil
    }
}
