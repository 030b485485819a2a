// SPDX-License-Identifier: MIT

/// The maximum plausible power of a device, from its rating.
///
/// Active power never exceeds apparent power, so the rating in volt-amperes limits the watts; the margin allows for
/// overload and inaccuracy.
package struct PlausibilityBound: Sendable, Hashable {
    /// The accepted multiple of the rating; nil accepts everything.
    package var margin: Double?

    /// Creates a bound.
    /// - Parameter margin: greater than 0; other values and nil disable the bound.
    package init(margin: Double?) {
        self.margin = margin
    }

    /// The maximum plausible power in watts; nil if the bound is disabled or the rating unknown.
    /// - Parameter rating: the rated apparent power in volt-amperes. Not finite, zero or negative counts as unknown.
    package func limit(rating: Double?) -> Double? {
        guard let margin, margin > 0, let rating, rating > 0, rating.isFinite else { return nil }
        return rating * margin
    }
}
