// SPDX-License-Identifier: MIT

import WPCore
import WPHistory
import WPModel

/// Generates the page's table of UPS quantities.
enum PageQuantities {
    /// The module `quantities.js`: for UPSes and phases, the JSON name, unit and label of each quantity, and whether
    /// the history contains it.
    static let module: [UInt8] = {
        let ups = UPSQuantity.reported.compactMap { quantity in
            row(quantity, isCharted: quantity.history.map { $0 < 64 } ?? false)
        }
        let phase = PhaseQuantity.all.compactMap { row($0, isCharted: false) }
        return Array(
            "export const quantities={ups:[\(ups.joined(separator: ","))],phase:[\(phase.joined(separator: ","))]};\n"
                .utf8
        )
    }()

    /// The start of `zh.js`, with the Chinese labels.
    static let chinese: [UInt8] = {
        let labels = UPSQuantity.reported.compactMap(\.label) + PhaseQuantity.all.compactMap(\.label)
        let members = labels.map { "\(JSONText.quoted($0.english)):\(JSONText.quoted($0.chinese))," }
        return Array("export default {\(Set(members).sorted().joined())".utf8)
    }()

    private static func row<Root>(_ quantity: Quantity<Root>, isCharted: Bool) -> String? {
        quantity.label.map { label in
            "[\"\(quantity.jsonName)\",\"\(quantity.unit.rawValue)\",\(JSONText.quoted(label.english))"
                + "\(isCharted ? ",1" : "")]"
        }
    }
}
