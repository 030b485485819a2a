// SPDX-License-Identifier: MIT

/// A section of the debug page: rows of the page, and the same as members of its JSON.
struct DebugSection {
    let title: String
    var columns: [String] = []
    var rows: [[String]] = []
    var members: [(path: [String], value: any Encodable & Sendable)] = []

    /// A section without rows.
    init(_ title: String) {
        self.title = title
    }

    /// A table.
    init(_ path: [String], _ table: DebugTable) {
        (title, columns, rows, members) = (table.title, table.columns, table.rows, [(path, table)])
    }

    /// Adds a row; an unavailable value adds none.
    mutating func add(
        _ label: String,
        _ path: [String],
        _ value: (some Encodable & Sendable & LosslessStringConvertible)?,
        unit: String = ""
    ) {
        guard let value else { return }
        rows.append([label, String(value) + unit])
        members.append((path, value))
    }
}

/// The members of all sections as one JSON object.
struct DebugDocument: Encodable {
    let sections: [DebugSection]

    func encode(to encoder: any Encoder) throws {
        let root = encoder.container(keyedBy: NameKey.self)
        for member in sections.flatMap(\.members) {
            var container = root
            for name in member.path.dropLast() {
                container = container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey(name))
            }
            try container.encode(member.value, forKey: NameKey(member.path[member.path.count - 1]))
        }
    }
}
