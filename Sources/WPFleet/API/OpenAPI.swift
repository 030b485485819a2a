// SPDX-License-Identifier: MIT

import WPModel

/// The OpenAPI 3.0 description of the API: `openapi.json`, with the values of a UPS inserted.
///
/// In that file, each operation and schema is one line; `x-hub` marks operations that only a hub has.
enum OpenAPI {
    /// - Parameter takesReports: whether reports are posted here, as to a hub.
    static func document(takesReports: Bool) -> [UInt8] {
        let texts = UPSSnapshot.texts.map { property($0.name, "string") }
        let ups = (texts + UPSQuantity.reported.map(property)).joined(separator: ",")
        let phase = PhaseQuantity.all.map(property).joined(separator: ",")
        let lines = String(decoding: EmbeddedFiles.bytes(of: "openapi.json"), as: UTF8.self)
            .replacing("\"{{ups}}\":{}", with: ups).replacing("\"{{phase}}\":{}", with: phase)
            .split(separator: "\n").filter { takesReports || !$0.contains("\"x-hub\":true") }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func property<Root>(_ quantity: Quantity<Root>) -> String {
        switch quantity.unit {
        case .flag: property(quantity.jsonName, "boolean")
        case .code: property(quantity.jsonName, "integer")
        default: property(quantity.jsonName, "number")
        }
    }

    private static func property(_ name: String, _ type: String) -> String { "\"\(name)\":{\"type\":\"\(type)\"}" }
}
