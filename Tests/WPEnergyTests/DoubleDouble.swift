// SPDX-License-Identifier: MIT

/// A number of about 31 digits, as the unevaluated sum of two doubles: the yardstick for code that has 16.
///
/// The operations are those of Dekker and Knuth, with a fused multiply-add for the exact product. They are kept apart
/// from the code under test on purpose.
struct DoubleDouble {
    var high: Double
    var low: Double

    init(_ value: Double) {
        high = value
        low = 0
    }

    /// A span of time in seconds, to the attosecond.
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

    /// How far a double is from this number, relative to it.
    func relativeError(of value: Double) -> Double {
        ((value - high) - low) / high
    }
}
