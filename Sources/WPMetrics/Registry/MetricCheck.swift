// SPDX-License-Identifier: MIT

/// Validates metrics against their family.
enum MetricCheck {
    /// The maximum timestamp in seconds, whose milliseconds fit in 64 bits.
    private static let largestTimestamp = 9e15

    /// The first error of a metric; nil if it is valid.
    static func fault(in metric: Metric, of descriptor: MetricDescriptor) -> MetricError? {
        labelFault(in: metric, of: descriptor) ?? valueFault(in: metric, of: descriptor)
            ?? otherFault(in: metric, of: descriptor)
    }

    /// Whether all metrics are valid, without creating an error.
    static func fits(_ metrics: [Metric], _ descriptor: MetricDescriptor) -> Bool {
        let isNumber = [.gauge, .unknown].contains(descriptor.type)
        return metrics.allSatisfy { metric in
            if isNumber, let names = descriptor.labelNames, case .value = metric.value, metric.timestamp == nil,
                metric.hasNoExtras
            {
                return metric.labels.hasNames(names)
            }
            return fault(in: metric, of: descriptor) == nil
        }
    }

    private static func labelFault(in metric: Metric, of descriptor: MetricDescriptor) -> MetricError? {
        if let names = descriptor.labelNames {
            guard metric.labels.hasNames(names) else {
                return MetricError(
                    .labelMismatch,
                    subject: descriptor.name,
                    "the labels \(metric.labels) are not the declared ones (\(names.joined(separator: ", ")))"
                )
            }
        } else if let reserved = MetricDescriptor.reservedLabel(of: descriptor.type), metric.labels.hasName(reserved) {
            return MetricDescriptor.reservedLabelError(reserved, in: descriptor.name)
        }
        return nil
    }

    private static func valueFault(in metric: Metric, of descriptor: MetricDescriptor) -> MetricError? {
        switch (descriptor.type, metric.value) {
        case (.gauge, .value), (.unknown, .value), (.histogram, .histogram), (.gaugeHistogram, .histogram),
            (.summary, .summary):
            return nil
        case (.counter, .value(let value)):
            return value >= 0 ? nil : invalidValue(descriptor, metric, "is not 0 or more")
        case (.info, .value(let value)):
            return value == 1 ? nil : invalidValue(descriptor, metric, "is not 1")
        case (.stateSet, .value(let value)):
            guard metric.labels.hasName(descriptor.name) else {
                return MetricError(
                    .labelMismatch,
                    subject: descriptor.name,
                    "the labels \(metric.labels) have no state: add the label \(descriptor.name)"
                )
            }
            return value == 0 || value == 1 ? nil : invalidValue(descriptor, metric, "is neither 0 nor 1")
        default:
            return MetricError(
                .typeMismatch,
                subject: descriptor.name,
                "a value of another type was given for the \(descriptor.type) \(descriptor.name)"
            )
        }
    }

    private static func otherFault(in metric: Metric, of descriptor: MetricDescriptor) -> MetricError? {
        if let timestamp = metric.timestamp, !(timestamp.magnitude <= largestTimestamp) {
            return MetricError(
                .invalidValue,
                subject: descriptor.name,
                "the timestamp \(timestamp) of \(metric.labels) is out of range"
            )
        }
        if metric.exemplar != nil, descriptor.type != .counter {
            return MetricError(
                .invalidExemplar,
                subject: descriptor.name,
                "only a counter or the bucket of a histogram has an exemplar"
            )
        }
        return nil
    }

    private static func invalidValue(
        _ descriptor: MetricDescriptor,
        _ metric: Metric,
        _ fault: String
    ) -> MetricError {
        MetricError(
            .invalidValue,
            subject: descriptor.name,
            "the \(descriptor.type) value of \(metric.labels) \(fault)"
        )
    }
}
