// SPDX-License-Identifier: MIT

/// Human-readable numbers.
package enum Decimals {
    /// A number with a fixed number of decimals and a point, in every locale.
    /// - Parameters:
    ///   - value: the number. A value that is not finite or exceeds `Int` is formatted as Swift does.
    ///   - decimals: the number of decimals, clamped to 0 to 6.
    package static func text(_ value: Double, _ decimals: Int) -> String {
        let decimals = min(max(decimals, 0), 6)
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        guard let scaled = Int(exactly: (value * Double(scale)).rounded()) else { return value.description }
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = scaled < 0 ? "-" : ""
        return decimals == 0 ? sign + padded : "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }
}
