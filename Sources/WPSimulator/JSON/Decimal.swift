// SPDX-License-Identifier: MIT

extension Double {
    /// This value in decimal notation with a fixed number of decimals, rounded to the nearest, as WinPower writes
    /// numbers: `27.0`, `195`. Empty, WinPower's "no value", when it is not finite or has more than 15 digits.
    /// - Parameter places: 0 to 6; values outside are taken as the nearest bound.
    func decimal(_ places: Int) -> String {
        let places = min(max(places, 0), 6)
        let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
        let scaled = (self * scale).rounded()
        guard scaled.isFinite, scaled.magnitude < 1e15 else { return "" }
        let digits = String(Int64(scaled.magnitude))
        let sign = scaled < 0 ? "-" : ""
        guard places > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return sign + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
