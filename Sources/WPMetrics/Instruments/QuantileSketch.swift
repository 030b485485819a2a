// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Counts numbers in buckets that grow by a factor, so that each quantile is known to within a share of its value.
///
/// The idea is that of DDSketch (Masson, Rim, Lee, 2019): unlike a sample, it is never wrong by chance, and two can be
/// added. Magnitudes outside 10^-12…10^12 count as the nearest of these, which bounds the buckets to some 5,500.
struct QuantileSketch: Sendable {
    /// The most by which a quantile may be off, as a share of its value.
    static let relativeError = 0.01

    private static let smallest = 1e-12
    private static let largest = 1e12
    private static let growth = log((1 + relativeError) / (1 - relativeError))

    private var positives: [Int: UInt64] = [:]
    private var negatives: [Int: UInt64] = [:]
    private var zeros: UInt64 = 0

    /// Counts a number, which is not NaN.
    mutating func insert(_ value: Double) {
        guard value != 0 else {
            zeros += 1
            return
        }
        let magnitude = min(max(value.magnitude, Self.smallest), Self.largest)
        let index = Int((log(magnitude) / Self.growth).rounded(.up))
        if value > 0 { positives[index, default: 0] += 1 } else { negatives[index, default: 0] += 1 }
    }

    /// Adds what another one has counted.
    mutating func merge(_ other: QuantileSketch) {
        positives.merge(other.positives, uniquingKeysWith: +)
        negatives.merge(other.negatives, uniquingKeysWith: +)
        zeros += other.zeros
    }

    /// The values below which these parts of the numbers lie; NaN when there are none.
    /// - Parameter parts: each 0…1.
    func values(of parts: [Double]) -> [Double] {
        var buckets: [(value: Double, count: UInt64)] = []
        for (index, count) in negatives.sorted(by: { $0.key > $1.key }) { buckets.append((-Self.value(index), count)) }
        if zeros > 0 { buckets.append((0, zeros)) }
        for (index, count) in positives.sorted(by: { $0.key < $1.key }) { buckets.append((Self.value(index), count)) }
        var total: UInt64 = 0
        for bucket in buckets { total += bucket.count }
        return parts.map { part in
            let rank = part * Double(total == 0 ? 0 : total - 1)
            var seen: UInt64 = 0
            for (value, count) in buckets {
                seen += count
                if Double(seen) > rank { return value }
            }
            return buckets.last?.value ?? .nan
        }
    }

    /// The number that is equally far, as a share, from both bounds of a bucket.
    private static func value(_ index: Int) -> Double {
        exp(Double(index) * growth) * (1 - relativeError)
    }
}
