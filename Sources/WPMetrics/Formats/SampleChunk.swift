// SPDX-License-Identifier: MIT

// How the samples of most families are written: plain numbers and nothing else. The name, the labels and
// the number of a sample go by pointer into a piece of stack, and that goes into the exposition whenever it is full. So
// an array's checks are paid once in some hundred samples.
extension [UInt8] {
    private static var chunkSize: Int { 16 << 10 }
    /// More than any number and a line feed take.
    private static var longestNumber: Int { 32 }

    /// Appends one sample a metric.
    /// - Parameters:
    ///   - metrics: the metrics of one family.
    ///   - name: the name of the samples, with the suffix if any.
    ///   - encode: appends the metrics that are not plain.
    mutating func appendSamples(
        of metrics: [Metric],
        _ name: [UInt8],
        encode: (Metric, inout [UInt8]) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.chunkSize) { chunk in
            guard let start = chunk.baseAddress else { return }
            var used = 0
            metrics.withUnsafeBufferPointer { metrics in
                guard let first = metrics.baseAddress else { return }
                name.withUnsafeBufferPointer { name in
                    for metric in first..<first + metrics.count {
                        let end = Self.write(metric, name, to: start, at: used)
                        if end > 0 {
                            used = end
                            continue
                        }
                        append(contentsOf: UnsafeBufferPointer(start: start, count: used))
                        used = Self.write(metric, name, to: start, at: 0)
                        if used == 0 { encode(metric.pointee, &self) }
                    }
                }
            }
            append(contentsOf: UnsafeBufferPointer(start: start, count: used))
        }
    }

    /// Writes a sample into the chunk.
    /// - Returns: the end of the sample in the chunk; 0 when it is not plain or there is too little room.
    @inline(__always)
    private static func write(
        _ metric: UnsafePointer<Metric>,
        _ name: UnsafeBufferPointer<UInt8>,
        to chunk: UnsafeMutablePointer<UInt8>,
        at start: Int
    ) -> Int {
        guard case .value(let value) = metric.pointee.value, metric.pointee.timestamp == nil,
            metric.pointee.hasNoExtras
        else { return 0 }
        let labels = metric.pointee.labels.unsafeRendered
        guard chunkSize - start >= name.count + labels.count + longestNumber,
            let nameStart = name.baseAddress, let labelsStart = labels.baseAddress
        else { return 0 }
        var end = chunk + start
        end.update(from: nameStart, count: name.count)
        end += name.count
        end.update(from: labelsStart, count: labels.count)
        end += labels.count
        end += NumberText.write(value, to: end)
        end.pointee = UInt8(ascii: "\n")
        return end + 1 - chunk
    }
}
