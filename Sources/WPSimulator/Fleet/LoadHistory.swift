// SPDX-License-Identifier: MIT

/// The successive curves of a load, so that the energy before a change can still be calculated.
struct LoadHistory: Sendable {
    private struct Segment {
        let start: Double
        let curve: LoadCurve
    }

    private var first: LoadCurve
    private var later: [Segment] = []

    /// - Parameter curve: the first curve; its time 0 is the history's time 0.
    init(_ curve: LoadCurve) {
        first = curve
    }

    /// Replaces the curve from a time on, which is the new curve's time 0.
    mutating func follow(_ curve: LoadCurve, from start: Double) {
        later.removeAll { $0.start >= start }
        later.append(Segment(start: start, curve: curve))
    }

    func watts(at seconds: Double) -> Double {
        guard let segment = later.last(where: { $0.start <= seconds }) else { return first.watts(at: seconds) }
        return segment.curve.watts(at: seconds - segment.start)
    }

    func joules(from start: Double, to end: Double) -> Double {
        guard start <= end else { return -joules(from: end, to: start) }
        var total = 0.0
        let firstEnd = min(end, later.first?.start ?? end)
        if start < firstEnd { total += first.joules(from: start, to: firstEnd) }
        for (index, segment) in later.enumerated() {
            let lower = max(start, segment.start)
            let upper = index + 1 < later.count ? min(end, later[index + 1].start) : end
            guard lower < upper else { continue }
            total += segment.curve.joules(from: lower - segment.start, to: upper - segment.start)
        }
        return total
    }
}
