// SPDX-License-Identifier: MIT

/// The largest power that a device can be believed to carry, from what its name plate says.
///
/// Active power never exceeds apparent power, so the rating in volt-amperes bounds the watts; the margin leaves room
/// for overload and for a rough reading.
package struct PlausibilityBound: Sendable, Hashable {
    /// How many times the rating is still believed; nil when everything is.
    package var margin: Double?

    /// Creates a bound.
    /// - Parameter margin: greater than 0; anything else, and nil, switches the bound off.
    package init(margin: Double?) {
        self.margin = margin
    }

    /// The largest believable power in watts; nil when there is no bound, because it is off or no rating is known.
    /// - Parameter rating: the rated apparent power in volt-amperes. Not finite, zero or negative counts as unknown.
    package func limit(rating: Double?) -> Double? {
        guard let margin, margin > 0, let rating, rating > 0, rating.isFinite else { return nil }
        return rating * margin
    }
}
