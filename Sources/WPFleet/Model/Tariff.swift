// SPDX-License-Identifier: MIT

import WPText

/// What energy costs.
package struct Tariff: Sendable, Hashable {
    /// The price of a kilowatt-hour.
    package var price: Double
    /// In which currency; nil when that is not known.
    package var currency: String?

    package init(_ price: Double, currency: String? = nil) {
        self.price = price
        self.currency = currency
    }

    /// The tariff of settings; nil without a price.
    package init?(price: Double?, currency: String?) {
        guard let price else { return nil }
        self.init(price, currency: currency)
    }

    /// The cost of energy, to four places.
    func cost(_ wattHours: Double) -> Double {
        (wattHours / 1000 * price * 10_000).rounded() / 10_000
    }

    /// Its members in a document.
    var members: String {
        "\"tariff\":\(FleetDocuments.number(price))" + (currency.map { ",\"currency\":\(JSONText.quoted($0))" } ?? "")
    }
}
