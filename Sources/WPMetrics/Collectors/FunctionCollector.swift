// SPDX-License-Identifier: MIT

import Synchronization

/// One number without labels that is read at each gather.
package final class FunctionCollector: ImmediateCollector {
    private let descriptor: MetricDescriptor
    private let read: @Sendable () -> Double?
    private let last = Mutex<(value: Double?, families: [MetricFamily])>((nil, []))

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
        let value = read()
        return last.withLock { last in
            if value?.bitPattern != last.value?.bitPattern {
                last = (value, value.map { [MetricFamily(descriptor, value: $0)] } ?? [])
            }
            return last.families
        }
    }
}
