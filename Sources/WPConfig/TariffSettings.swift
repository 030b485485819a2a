// SPDX-License-Identifier: MIT

package import WPProgram
package import WPSettings

/// The price of a kilowatt-hour: `energy.tariff` and `energy.currency`.
public struct TariffSettings: Sendable, Hashable {
    /// The price; if nil, no cost is shown.
    public var price: Double?
    /// The currency of the price; if nil, none is shown.
    public var currency: String?

    /// The defaults.
    package init() {}
}

extension SettingGroup where Group == TariffSettings {
    /// The rows of the tariff.
    package var rows: [Setting<Settings>] {
        [
            Setting(
                "energy.tariff",
                self[\.price],
                .factor(0...1_000_000),
                help: "Price of a kilowatt-hour, from which the API computes costs"
            ),
            Setting(
                "energy.currency",
                self[\.currency],
                .optional(.currency),
                sample: "EUR",
                help: "Currency of energy.tariff, shown with costs"
            ),
        ]
    }
}

extension SettingFormat where Value == String {
    /// A currency code or symbol.
    static var currency: Self {
        let type = CustomSettingType(
            expectation: "a currency such as EUR, of at most 8 characters and without spaces",
            summary: "text of up to 8 characters",
            placeholder: "CURRENCY"
        )
        return Self(type: .custom(type)) { (text: String) throws(SettingMismatch) -> String in
            let isShort = text.unicodeScalars.count <= 8
            let isVisible = text.unicodeScalars.allSatisfy { scalar in
                let category = scalar.properties.generalCategory
                return category != .control && category != .format && !scalar.properties.isWhitespace
            }
            guard isShort, isVisible else { throw SettingMismatch() }
            return text
        } text: {
            $0
        }
    }
}
