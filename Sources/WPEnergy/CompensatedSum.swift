// SPDX-License-Identifier: MIT

/// A running sum without accumulated rounding errors.
///
/// Uses the algorithm of Kahan, Babuška and Neumaier. After each step it is normalized: ``value`` is the rounded sum
/// and ``compensation`` the rounding error, so that the pair can be saved and resumed exactly.
package struct CompensatedSum: Sendable, Hashable {
    /// The sum, correctly rounded. Never decreases if no term is negative.
    package private(set) var value: Double
    /// The rounding error of ``value``; at most half a unit in the last place.
    package private(set) var compensation: Double

    /// Resumes a sum.
    /// - Parameters:
    ///   - value: the saved sum; must be finite.
    ///   - compensation: the saved compensation; must be finite.
    package init(_ value: Double = 0, compensation: Double = 0) {
        (self.value, self.compensation) = Self.exactSum(value, compensation)
    }

    /// Adds a finite term.
    package mutating func add(_ term: Double) {
        let (sum, error) = Self.exactSum(value, term)
        (value, compensation) = Self.exactSum(sum, error + compensation)
    }

    /// The rounded sum of two numbers and the exact error of rounding it (Knuth's two-sum: no branch, any order).
    private static func exactSum(_ a: Double, _ b: Double) -> (sum: Double, error: Double) {
        let sum = a + b
        let bPart = sum - a
        let aPart = sum - bPart
        return (sum, (a - aPart) + (b - bPart))
    }
}
