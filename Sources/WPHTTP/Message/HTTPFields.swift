// SPDX-License-Identifier: MIT

/// Header or trailer fields in order, with case-insensitive names (RFC 9110, section 5).
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name as written.
        public var name: String
        /// The value without surrounding white space.
        public var value: String

        /// Creates a field. Name and value are validated when written.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields in order.
    public private(set) var all: [Field] = []

    /// No fields.
    package init() {}

    /// Creates fields from a literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of a name. Setting it replaces all fields of that name at the position of the first; nil removes
    /// them.
    public subscript(name: String) -> String? {
        get { all.first { Self.same($0.name, name) }?.value }
        set {
            let position = all.firstIndex { Self.same($0.name, name) }
            all.removeAll { Self.same($0.name, name) }
            guard let newValue else { return }
            all.insert(Field(name: name, value: newValue), at: position ?? all.endIndex)
        }
    }

    /// Every value of a name, in order.
    public func values(of name: String) -> [String] {
        all.lazy.filter { Self.same($0.name, name) }.map(\.value)
    }

    /// Whether a comma-separated list field contains this element, ignoring case. Commas in quoted strings do not
    /// separate (RFC 9110, section 5.6.4); false for an empty element.
    package func contains(_ element: String, in name: String) -> Bool {
        guard !element.isEmpty else { return false }
        return values(of: name).contains { value in
            Self.elements(of: value).contains { Self.same($0, element) }
        }
    }

    /// Adds a field at the end.
    public mutating func append(name: String, value: String) {
        all.append(Field(name: name, value: value))
    }

    /// Whether two names are equal, ignoring ASCII case.
    package static func same(_ lhs: String, _ rhs: String) -> Bool {
        lhs.utf8.count == rhs.utf8.count && zip(lhs.utf8, rhs.utf8).allSatisfy { lower($0) == lower($1) }
    }

    private static func elements(of value: String) -> [String] {
        var isQuoted = false
        var isEscaped = false
        let parts = value.utf8.split { byte in
            defer { isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\") }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return parts.map { String(Substring($0)).trimmingBlanks() }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

extension String {
    /// The text without leading and trailing spaces and tabs (OWS, RFC 9110, section 5.6.3).
    func trimmingBlanks() -> String {
        var view = Substring(self)
        while let first = view.utf8.first, first == 0x20 || first == 0x09 { view = view.dropFirst() }
        while let last = view.utf8.last, last == 0x20 || last == 0x09 { view = view.dropLast() }
        return String(view)
    }
}
