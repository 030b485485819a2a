// SPDX-License-Identifier: MIT

import WPMetrics

extension HostFamilies {
    /// The families under node_exporter's names. Values with invalid labels and families with invalid names are
    /// omitted; such names come only from kernel fields.
    var metricFamilies: [MetricFamily] {
        families.compactMap { family in
            let metrics = family.rows.compactMap { row in row.labelSet.map { Metric(labels: $0, value: row.value) } }
            // lint: a name may contain a field of the kernel
            let descriptor = try? MetricDescriptor(name: "node_" + family.name, help: family.help, type: family.type)
            return metrics.isEmpty ? nil : descriptor.map { MetricFamily($0, metrics) }
        }
    }
}

extension HostFamily.Row {
    /// The labels; nil if a name is invalid.
    fileprivate var labelSet: LabelSet? {
        // lint: a label name may be a field of the kernel
        try? LabelSet(stride(from: 0, to: labels.count - 1, by: 2).map { Label(labels[$0], labels[$0 + 1]) })
    }
}
