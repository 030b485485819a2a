// SPDX-License-Identifier: MIT

/// A number with about 31 digits, as the unevaluated sum of two doubles, to check code with 16 digits.
///
/// Uses the algorithms of Dekker and Knuth, independent of the code under test.
struct DoubleDouble {
    var high: Double
    var low: Double

    init(_ value: Double) {
        high = value
        low = 0
    }

    /// A duration in seconds, exact to the attosecond.
    init(_ span: Duration) {
        let (seconds, attoseconds) = span.components
        let coarse = attoseconds / 1_000_000_000
        let fine = attoseconds % 1_000_000_000
        let fraction = DoubleDouble(Double(coarse)) / 1e9 + DoubleDouble(Double(fine)) / 1e18
        self = DoubleDouble(Double(seconds)) + fraction
    }

    private init(high: Double, low: Double) {
        self.high = high + low
        self.low = low - (self.high - high)
    }

    static func + (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
        let sum = a.high + b.high
        let bPart = sum - a.high
        let error = (a.high - (sum - bPart)) + (b.high - bPart)
        return DoubleDouble(high: sum, low: error + a.low + b.low)
    }

    static func * (a: DoubleDouble, b: DoubleDouble) -> DoubleDouble {
        let product = a.high * b.high
        let error = (-product).addingProduct(a.high, b.high)
        return DoubleDouble(high: product, low: error + a.high * b.low + a.low * b.high)
    }

    static func / (a: DoubleDouble, b: Double) -> DoubleDouble {
        let quotient = a.high / b
        let rest = a.high.addingProduct(-quotient, b) + a.low
        return DoubleDouble(high: quotient, low: rest / b)
    }

    /// The relative error of a double.
    func relativeError(of value: Double) -> Double {
        ((value - high) - low) / high
    }
}
