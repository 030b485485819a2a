// SPDX-License-Identifier: MIT

/// The rectangle rule of many exporters: the power at one end of each interval times its length, rounded to 0.01 Wh at
/// every step.
enum RectangleRule: CaseIterable {
    case left, right

    /// The total in watt-hours. It uses the true time between samples and skips invalid ones.
    func wattHours(of series: SampleSeries) -> Double {
        let samples = series.samples.compactMap { sample in sample.watts.map { (sample.seconds, $0) } }
        var total = 0.0
        for (first, second) in zip(samples, samples.dropFirst()) {
            let power = self == .left ? first.1 : second.1
            total = ((total + power * (second.0 - first.0) / 3600) * 100).rounded() / 100
        }
        return total
    }
}
