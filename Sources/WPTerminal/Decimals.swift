// SPDX-License-Identifier: MIT

/// Numbers for people.
package enum Decimals {
    /// A number with a fixed count of decimals and a point, whatever the locale.
    /// - Parameters:
    ///   - value: the number. One that is not finite, or beyond what an `Int` holds, is written as Swift writes it.
    ///   - decimals: how many decimals, 0 to 6; others count as the nearest of these.
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
