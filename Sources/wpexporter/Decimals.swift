// SPDX-License-Identifier: MIT

/// Numbers for people.
enum Decimals {
    /// A number with this many decimals, 0 to 6, and a point whatever the locale.
    static func text(_ value: Double, _ decimals: Int) -> String {
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        guard let scaled = Int(exactly: (value * Double(scale)).rounded()) else { return value.description }
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = scaled < 0 ? "-" : ""
        return decimals == 0 ? sign + padded : "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }
}
