// SPDX-License-Identifier: MIT

import WPModel
import WPTerminal

/// A quantity that `devices` and `watch` show in a column.
struct QuantityColumn {
    let quantity: UPSQuantity
    let layout: UPSQuantity.Column

    private static let all = UPSQuantity.all.compactMap { quantity in
        quantity.column.map { QuantityColumn(quantity: quantity, layout: $0) }
    }
    static let usual = all.filter { !$0.layout.isExtra }
    static let extra = all.filter(\.layout.isExtra)

    /// The table column.
    /// - Parameter shift: added to the drop order, so that the column is dropped earlier than in `devices`, as an extra
    ///   one; nil for the layout of `devices`.
    func column(earlierBy shift: Int? = nil) -> TextTable.Column {
        TextTable.Column(
            layout.heading,
            .right,
            dropOrder: layout.dropOrder + (shift ?? 0),
            isExtra: layout.isExtra || shift != nil
        )
    }

    func text(_ reading: DeviceReading) -> String {
        let value = quantity.value(of: reading)
        return quantity.unit == .seconds ? DeviceText.span(value) : DeviceText.number(value, layout.decimals)
    }
}
