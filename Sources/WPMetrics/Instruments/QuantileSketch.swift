// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Counts numbers in exponential buckets, so that each quantile has a bounded relative error.
///
/// A DDSketch (Masson, Rim, Lee, 2019), because its error is deterministic and sketches can be merged. Magnitudes are
/// clamped to 10^-12…10^12, which limits the buckets to about 5,500.
struct QuantileSketch: Sendable {
    /// The maximum relative error of a quantile.
    static let relativeError = 0.01

    private static let smallest = 1e-12
    private static let largest = 1e12
    private static let growth = log((1 + relativeError) / (1 - relativeError))

    private var positives: [Int: UInt64] = [:]
    private var negatives: [Int: UInt64] = [:]
    private var zeros: UInt64 = 0

    /// Counts a number; must not be NaN.
    mutating func insert(_ value: Double) {
        guard value != 0 else {
            zeros += 1
            return
        }
        let magnitude = min(max(value.magnitude, Self.smallest), Self.largest)
        let index = Int((log(magnitude) / Self.growth).rounded(.up))
        if value > 0 { positives[index, default: 0] += 1 } else { negatives[index, default: 0] += 1 }
    }

    /// Adds the counts of another sketch.
    mutating func merge(_ other: QuantileSketch) {
        positives.merge(other.positives, uniquingKeysWith: +)
        negatives.merge(other.negatives, uniquingKeysWith: +)
        zeros += other.zeros
    }

    /// The quantiles of the counted numbers; NaN if there are none.
    /// - Parameter quantiles: each 0…1.
    func values(of quantiles: [Double]) -> [Double] {
        var buckets: [(value: Double, count: UInt64)] = []
        for (index, count) in negatives.sorted(by: { $0.key > $1.key }) { buckets.append((-Self.value(index), count)) }
        if zeros > 0 { buckets.append((0, zeros)) }
        for (index, count) in positives.sorted(by: { $0.key < $1.key }) { buckets.append((Self.value(index), count)) }
        var total: UInt64 = 0
        for bucket in buckets { total += bucket.count }
        return quantiles.map { quantile in
            let rank = quantile * Double(total == 0 ? 0 : total - 1)
            var seen: UInt64 = 0
            for (value, count) in buckets {
                seen += count
                if Double(seen) > rank { return value }
            }
            return buckets.last?.value ?? .nan
        }
    }

    /// The number with the same relative distance to both bounds of a bucket.
    private static func value(_ index: Int) -> Double {
        exp(Double(index) * growth) * (1 - relativeError)
    }
}
