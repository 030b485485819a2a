// SPDX-License-Identifier: MIT

/// An identifier from outside, compared by its UTF-8 bytes.
///
/// `String` treats canonically equivalent strings (é as one scalar or as two) as equal. Kernels, databases and
/// Prometheus do not, so identifiers that differ only in this way are different.
package struct ByteString: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The text, unchanged.
    package let text: String

    /// Creates an identifier.
    package init(_ text: String) {
        self.text = text
    }

    /// The text.
    package var description: String { text }

    /// Whether the UTF-8 bytes are equal.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.text.utf8.count == rhs.text.utf8.count && lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }

    /// Hashes the UTF-8 bytes.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Terminates the text, so that ("a", "bc") and ("ab", "c") differ.
        hasher.combine(UInt8.max)
    }

    /// Compares the UTF-8 bytes, which is the order of the Unicode scalars.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
    }
}
