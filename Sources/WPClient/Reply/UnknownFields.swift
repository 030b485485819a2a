// SPDX-License-Identifier: MIT

import WPModel

/// The fields of a device that are not known, of the element itself and of its parts, in a bounded number and size.
struct UnknownFields {
    /// Their names, with the name of the part before them.
    private(set) var names: Set<String> = []
    /// Their values as texts, by name, where they are texts that are not empty, numbers or truths.
    private(set) var values: [String: String] = [:]

    /// The most names of a page that are kept.
    static let maximumNames = 256
    private static let maximumValues = 64
    private static let maximumNameBytes = 128
    private static let maximumValueBytes = 256

    private let secrets: [Secret]

    /// No fields.
    init() { secrets = [] }

    /// Those of an element of the device list.
    /// - Parameter secrets: what must not stand in a text, even when the server repeats it.
    init(from decoder: any Decoder, hiding secrets: [Secret]) {
        self.secrets = secrets
        guard let element = try? decoder.container(keyedBy: AnyField.self) else { return }
        take(DevicePart.self, of: element, prefix: "")
        take(AssetField.self, of: part(.assetDevice, of: element), prefix: "assetDevice.")
        take(RealtimeField.self, of: part(.realtime, of: element), prefix: "realtime.")
        take(ConfigField.self, of: part(.config, of: element), prefix: "config.")
    }

    private typealias Fields = KeyedDecodingContainer<AnyField>

    private func part(_ part: DevicePart, of element: Fields) -> Fields? {
        try? element.nestedContainer(keyedBy: AnyField.self, forKey: AnyField(stringValue: part.rawValue))
    }

    private mutating func take<Known: CodingKey>(_ known: Known.Type, of fields: Fields?, prefix: String) {
        guard let fields else { return }
        // In order, so that what is kept when there are too many does not change from one reading to the next.
        let unknown = fields.allKeys.filter { Known(stringValue: $0.stringValue) == nil }
            .sorted { $0.stringValue < $1.stringValue }
        for field in unknown {
            guard names.count < Self.maximumNames else { return }
            let name = ServerText.clean(prefix + field.stringValue, hiding: secrets, limit: Self.maximumNameBytes)
            names.insert(name)
            guard values.count < Self.maximumValues, let value = fields.loose(field)?.words, !value.isEmpty else {
                continue
            }
            values[name] = ServerText.clean(value, hiding: secrets, limit: Self.maximumValueBytes)
        }
    }
}

/// Any key at all.
private struct AnyField: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension LooseValue {
    fileprivate var words: String? {
        if case .truth(let truth) = self { truth.description } else { text }
    }
}
