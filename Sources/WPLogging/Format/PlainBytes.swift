// SPDX-License-Identifier: MIT

extension [UInt8] {
    /// Appends a string literal unchanged.
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a string unchanged.
    mutating func append(utf8Of text: consuming String) {
        text.withUTF8 { append(contentsOf: $0) }
    }
}
