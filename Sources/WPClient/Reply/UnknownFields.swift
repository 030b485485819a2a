// SPDX-License-Identifier: MIT

import WPCore

/// The unknown fields of a device and its parts, limited in number and size.
struct UnknownFields {
    /// Their names, prefixed with the name of the part.
    private(set) var names: Set<String> = []
    /// Their values as text, by name, for non-empty strings, numbers and booleans.
    private(set) var values: [String: String] = [:]

    /// The maximum number of names per page.
    static let maximumNames = 256
    private static let maximumValues = 64
    private static let maximumNameBytes = 128
    private static let maximumValueBytes = 256

    /// Collects the unknown fields of an element of the device list.
    /// - Parameter secrets: secrets that must not appear in any string, even if the server repeats them.
    init(_ parts: DeviceParts, hiding secrets: [Secret]) {
        for (prefix, fields, known) in parts.all {
            // Sorted, so that the kept names do not change between polls.
            let unknown = fields.members.filter { !known.contains($0.name) }.sorted { $0.name < $1.name }
            for (field, value) in unknown {
                guard names.count < Self.maximumNames else { return }
                let name = ServerText.clean(prefix + field, hiding: secrets, limit: Self.maximumNameBytes)
                names.insert(name)
                guard values.count < Self.maximumValues, values[name] == nil, let text = value.displayText,
                    !text.isEmpty
                else { continue }
                values[name] = ServerText.clean(text, hiding: secrets, limit: Self.maximumValueBytes)
            }
        }
    }
}

extension JSONValue {
    fileprivate var displayText: String? {
        if case .boolean(let value) = self { value.description } else { text }
    }
}
