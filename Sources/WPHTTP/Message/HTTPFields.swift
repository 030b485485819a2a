// SPDX-License-Identifier: MIT

/// Header or trailer fields in the order that they came, with names compared without regard to case (RFC 9110,
/// section 5).
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name as it was written.
        public var name: String
        /// The value without surrounding white space.
        public var value: String

        /// Creates a field. Whether name and value may stand on the wire is checked when they are written.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields in order.
    public private(set) var all: [Field] = []

    /// No fields.
    public init() {}

    /// Creates fields from a literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of a name. Setting it replaces every field of that name; nil removes them.
    public subscript(name: String) -> String? {
        get { all.first { Self.same($0.name, name) }?.value }
        set {
            all.removeAll { Self.same($0.name, name) }
            if let newValue { all.append(Field(name: name, value: newValue)) }
        }
    }

    /// Every value of a name, in order.
    public func values(of name: String) -> [String] {
        all.lazy.filter { Self.same($0.name, name) }.map(\.value)
    }

    /// Whether a comma-separated list field has this element, compared without regard to case.
    public func contains(_ element: String, in name: String) -> Bool {
        values(of: name).contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { part in
                Self.same(String(Substring(part)).trimmingBlanks(), element)
            }
        }
    }

    /// Adds a field at the end.
    public mutating func append(name: String, value: String) {
        all.append(Field(name: name, value: value))
    }

    /// Whether two names are equal without regard to ASCII case.
    static func same(_ lhs: String, _ rhs: String) -> Bool {
        let left = lhs.utf8
        let right = rhs.utf8
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

extension String {
    /// Without spaces and tabs at both ends (OWS of RFC 9110, section 5.6.3).
    func trimmingBlanks() -> String {
        var view = Substring(self)
        while let first = view.utf8.first, first == 0x20 || first == 0x09 { view = view.dropFirst() }
        while let last = view.utf8.last, last == 0x20 || last == 0x09 { view = view.dropLast() }
        return String(view)
    }
}
