// SPDX-License-Identifier: MIT

/// One number without labels that is read at each gather.
package final class FunctionCollector: ImmediateCollector {
    private let descriptor: MetricDescriptor
    private let read: @Sendable () -> Double?

    /// Creates a collector.
    /// - Parameters:
    ///   - descriptor: a gauge, counter or unknown.
    ///   - read: gives the number; nil for no sample. It must not block.
    /// - Throws: ``MetricError/Code/typeMismatch`` for another type.
    package init(_ descriptor: MetricDescriptor, read: @escaping @Sendable () -> Double?) throws(MetricError) {
        guard [.gauge, .counter, .unknown].contains(descriptor.type) else {
            throw MetricError(
                .typeMismatch,
                subject: descriptor.name,
                "\(descriptor.name) is a \(descriptor.type), which is more than one number: write a collector for it"
            )
        }
        self.descriptor = descriptor
        self.read = read
    }

    /// The family alone.
    package var descriptors: [MetricDescriptor] { [descriptor] }

    /// What the function gives now.
    package func collectNow() -> [MetricFamily] {
        read().map { [MetricFamily(descriptor, value: $0)] } ?? []
    }
}
