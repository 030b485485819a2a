// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A part of the content of a file. Valid only inside the closure to which it is passed.
package typealias Bytes = UnsafeBufferPointer<UInt8>

/// Scans a line of a kernel file by fields, without creating strings.
struct ByteScanner {
    private(set) var rest: Bytes

    init(_ bytes: Bytes) {
        rest = bytes
    }

    /// The next field, up to a space or tab; nil if only white space is left.
    mutating func field() -> Bytes? {
        var start = 0
        while start < rest.count, rest[start].isBlank { start += 1 }
        var end = start
        while end < rest.count, !rest[end].isBlank { end += 1 }
        guard end > start, let base = rest.baseAddress else {
            rest = Bytes(start: nil, count: 0)
            return nil
        }
        skip(end)
        return Bytes(start: base + start, count: end - start)
    }

    /// The next field as a number; nil if there is none or it is not a number.
    mutating func unsigned() -> UInt64? { field()?.unsigned }

    /// The bytes before a delimiter, which is skipped; nil, without consuming anything, if there is no delimiter.
    mutating func prefix(upTo byte: UInt8) -> Bytes? {
        guard let index = rest.firstIndex(of: byte), let base = rest.baseAddress else { return nil }
        skip(index + 1)
        return Bytes(start: base, count: index)
    }

    private mutating func skip(_ count: Int) {
        rest = Bytes(rebasing: rest[count...])
    }
}

extension UInt8 {
    /// Whether it is white space in the C locale.
    var isBlank: Bool { self == 32 || (self >= 9 && self <= 13) }

    var isDigit: Bool { self >= 48 && self <= 57 }
}

extension UnsafeBufferPointer<UInt8> {
    /// The bytes as a decimal number; nil for anything else, and on overflow.
    var unsigned: UInt64? {
        guard !isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in self {
            guard byte.isDigit else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte &- 48))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// The bytes as a hexadecimal number without a prefix; nil for anything else, and on overflow.
    var hexadecimal: UInt64? {
        first == UInt8(ascii: "+") ? nil : UInt64(string, radix: 16)
    }

    /// The bytes as a finite number; nil for anything else.
    var decimal: Double? {
        guard count < 64, let value = Double(string), value.isFinite else { return nil }
        return value
    }

    /// The lines that are not empty, without line feeds.
    var lines: [Bytes] { split(separator: 10).map { Bytes(rebasing: $0) } }

    /// The fields, which are separated by white space.
    var fields: [Bytes] {
        var scanner = ByteScanner(self)
        var fields: [Bytes] = []
        while let field = scanner.field() { fields.append(field) }
        return fields
    }

    /// The bytes as text; those that are not UTF-8 become `\xNN`.
    var string: String { KernelText.string(self) }

    /// The bytes without surrounding white space.
    var trimmed: UnsafeBufferPointer<UInt8> {
        var slice = self[...]
        while let byte = slice.first, byte.isBlank || byte == 0 { slice = slice.dropFirst() }
        while let byte = slice.last, byte.isBlank || byte == 0 { slice = slice.dropLast() }
        return UnsafeBufferPointer(rebasing: slice)
    }

    func hasPrefix(_ text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount, let baseAddress else { return text.utf8CodeUnitCount == 0 }
        return memcmp(baseAddress, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && hasPrefix(text)
    }

    func dropping(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: dropFirst(count))
    }
}

extension [UInt8] {
    /// Passes the array's bytes to a function.
    func scanned<Outcome>(_ body: (Bytes) -> Outcome) -> Outcome { withUnsafeBufferPointer(body) }
}
