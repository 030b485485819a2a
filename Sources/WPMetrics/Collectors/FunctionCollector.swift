// SPDX-License-Identifier: MIT

/// A number without labels that is read at each gather.
package final class FunctionCollector: ImmediateCollector {
    private let descriptor: MetricDescriptor
    private let read: @Sendable () -> Double?

    /// Creates a collector.
    /// - Parameters:
    ///   - descriptor: a gauge, counter or unknown.
    ///   - read: returns the number; nil for no sample. Must not block.
    /// - Throws: ``MetricError/Code/typeMismatch`` for another type.
    package init(_ descriptor: MetricDescriptor, read: @escaping @Sendable () -> Double?) throws(MetricError) {
        guard [.gauge, .counter, .unknown].contains(descriptor.type) else {
            throw MetricError(
                .typeMismatch,
                subject: descriptor.name,
                "\(descriptor.name) is a \(descriptor.type), which has several samples: write a collector for it"
            )
        }
        self.descriptor = descriptor
        self.read = read
    }

    /// The single family.
    package var descriptors: [MetricDescriptor] { [descriptor] }

    /// The current value of the function.
    package func collectNow() -> [MetricFamily] {
        read().map { [MetricFamily(descriptor, value: $0)] } ?? []
    }
}
