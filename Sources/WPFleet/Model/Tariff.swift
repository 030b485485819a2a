// SPDX-License-Identifier: MIT

/// The price of energy.
public struct Tariff: Sendable, Hashable {
    /// The price per kilowatt-hour.
    public var price: Double
    /// The currency of the price; nil if unknown.
    public var currency: String?

    /// Creates a tariff.
    public init(_ price: Double, currency: String? = nil) {
        self.price = price
        self.currency = currency
    }

    /// The tariff of the settings; nil without a price.
    package init?(price: Double?, currency: String?) {
        guard let price else { return nil }
        self.init(price, currency: currency)
    }

    /// The cost of energy, rounded to four decimals.
    func cost(_ wattHours: Double) -> Double {
        (wattHours / 1000 * price * 10_000).rounded() / 10_000
    }
}
