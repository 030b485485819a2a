// SPDX-License-Identifier: MIT

/// A running sum that keeps what a single `Double` would round away.
///
/// Each step is that of Kahan, Babuška and Neumaier: the rounding error of an addition is itself a `Double` and is
/// computed exactly. After each step both parts are brought back to the form in which ``value`` is the sum rounded
/// once and ``compensation`` is what the rounding left, so that the pair can be saved and resumed without loss.
package struct CompensatedSum: Sendable, Hashable {
    /// The sum, correctly rounded. It never decreases while what is added is not negative.
    package private(set) var value: Double
    /// The part of the sum that ``value`` is too coarse to hold; at most half of its last digit.
    package private(set) var compensation: Double

    /// Resumes a sum.
    /// - Parameters:
    ///   - value: the sum so far; must be finite.
    ///   - compensation: what ``compensation`` was; must be finite.
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
