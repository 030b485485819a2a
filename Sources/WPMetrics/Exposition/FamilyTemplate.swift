// SPDX-License-Identifier: MIT

/// The text of an encoded family around its numbers, so that the same series with other numbers are written by copying.
///
/// It is made of what the encoder wrote, and checked against it, so that it knows nothing of the formats but the order of
/// a histogram's numbers. There is none for summaries, nor with timestamps, exemplars or creation times.
struct FamilyTemplate {
    /// A larger family is left to the encoder.
    private static let largestSize = 8 << 10
    /// More than any number takes.
    private static let longestNumber = 32

    /// The family that it was made of.
    private let family: MetricFamily
    private let syntax: ExpositionFormat.Syntax
    private let text: [UInt8]
    /// The position of each number in the text.
    private let places: [Int]

    /// - Parameter encoded: the family in the syntax.
    init?(_ family: MetricFamily, _ syntax: ExpositionFormat.Syntax, encoded: [UInt8]) {
        guard encoded.count <= Self.largestSize, family.metrics.allSatisfy(Self.isPlain) else { return nil }
        self.family = family
        self.syntax = syntax
        var text: [UInt8] = []
        var places: [Int] = []
        for line in encoded.split(separator: UInt8(ascii: "\n")) {
            if line.first != UInt8(ascii: "#"), let blank = line.lastIndex(of: UInt8(ascii: " ")) {
                text += line[...blank]
                places.append(text.count)
            } else {
                text += line
            }
            text.append(UInt8(ascii: "\n"))
        }
        self.text = text
        self.places = places
        var copy: [UInt8] = []
        guard write(family, into: &copy), copy == encoded else { return nil }
    }

    /// Appends a family.
    /// - Returns: false, and nothing is appended, when it has not the series that the template is for.
    func write(_ other: MetricFamily, into buffer: inout [UInt8]) -> Bool {
        guard hasSameSeries(other.metrics) else { return false }
        return withUnsafeTemporaryAllocation(
            of: UInt8.self,
            capacity: text.count + places.count * Self.longestNumber
        ) { chunk in
            guard let start = chunk.baseAddress else { return false }
            let end = text.withUnsafeBufferPointer { text in
                places.withUnsafeBufferPointer { places in
                    other.metrics.withUnsafeBufferPointer { write($0, text, places, to: start) }
                }
            }
            guard let end else { return false }
            buffer.append(contentsOf: UnsafeBufferPointer(start: start, count: end - start))
            return true
        }
    }

    /// - Returns: the end of what was written; nil when there are more or fewer numbers than places.
    private func write(
        _ metrics: UnsafeBufferPointer<Metric>,
        _ text: UnsafeBufferPointer<UInt8>,
        _ places: UnsafeBufferPointer<Int>,
        to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8>? {
        guard let source = text.baseAddress else { return nil }
        var end = start
        var copied = 0
        var number = 0
        @inline(__always)
        func copy(upTo place: Int) {
            end.update(from: source + copied, count: place - copied)
            end += place - copied
            copied = place
        }
        for metric in metrics {
            switch metric.value {
            case .value(let value):
                guard number < places.count else { return nil }
                copy(upTo: places[number])
                end += NumberText.write(value, to: end)
                number += 1
            case .histogram(let histogram):
                let count = histogram.buckets.count
                guard number + count + 2 <= places.count else { return nil }
                for index in 0..<count {
                    copy(upTo: places[number + index])
                    end += NumberText.write(histogram.buckets[index].cumulativeCount, to: end)
                }
                number += count
                for isSum in [syntax == .text, syntax != .text] {
                    copy(upTo: places[number])
                    end +=
                        isSum
                        ? NumberText.write(histogram.sum ?? 0, to: end) : NumberText.write(histogram.count, to: end)
                    number += 1
                }
            case .summary: return nil
            }
        }
        guard number == places.count else { return nil }
        copy(upTo: text.count)
        return end
    }

    private func hasSameSeries(_ metrics: [Metric]) -> Bool {
        guard metrics.count == family.metrics.count else { return false }
        for (new, old) in zip(metrics, family.metrics) {
            guard new.labels.isIdentical(to: old.labels), Self.isPlain(new) else { return false }
            switch (new.value, old.value) {
            case (.value, .value): break
            case (.histogram(let new), .histogram(let old)):
                guard new.boundTexts === old.boundTexts else { return false }
            default: return false
            }
        }
        return true
    }

    /// Whether each of the metric's lines ends in a number, and all of them are always there.
    private static func isPlain(_ metric: Metric) -> Bool {
        guard metric.timestamp == nil, metric.hasNoExtras else { return false }
        switch metric.value {
        case .value: return true
        case .histogram(let histogram):
            return histogram.boundTexts != nil && (histogram.sum ?? -1) >= 0
                && histogram.buckets.allSatisfy { $0.exemplar == nil }
        case .summary: return false
        }
    }
}
