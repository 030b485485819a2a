// SPDX-License-Identifier: MIT

/// Finds the field that a key names, without making a String of it.
struct FieldTable<Field: RawRepresentable & CaseIterable & Sendable>: Sendable where Field.RawValue == String {
    private struct Entry: Sendable {
        let name: [UInt8]
        let field: Field
    }

    /// A power of two in number, at least four times as many as there are fields.
    private var slots: [Entry?]

    /// A table of all fields, by their raw values.
    init() {
        var size = 8
        while size < Field.allCases.count * 4 { size *= 2 }
        slots = Array(repeating: nil, count: size)
        for field in Field.allCases {
            let name = Array(field.rawValue.utf8)
            var slot = Self.hash(name[...]) & (size - 1)
            while slots[slot] != nil { slot = (slot + 1) & (size - 1) }
            slots[slot] = Entry(name: name, field: field)
        }
    }

    /// The field of a key; nil when there is none of that name.
    func field(_ key: JSONReader.Text, in reader: JSONReader) -> Field? {
        if key.isEscaped { return reader.string(key).flatMap { Field(rawValue: $0) } }
        let name = reader.bytes[key.range]
        var slot = Self.hash(name) & (slots.count - 1)
        while let entry = slots[slot] {
            if entry.name.elementsEqual(name) { return entry.field }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Of the bytes in which names of fields differ; what it does not tell apart is compared.
    private static func hash(_ name: ArraySlice<UInt8>) -> Int {
        guard let first = name.first, let last = name.last else { return 0 }
        let middle = name[name.startIndex + name.count / 2]
        return name.count &* 31 ^ Int(first) &* 7 ^ Int(middle) &* 61 ^ Int(last) &* 131
    }
}
