// SPDX-License-Identifier: MIT

import WPMetrics

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A custom collector without state: it queries the system at each scrape.
struct LoadCollector: ImmediateCollector {
    private let load: MetricDescriptor

    init() throws {
        load = try MetricDescriptor(name: "node_load", help: "Load average.", type: .gauge, labelNames: ["minutes"])
    }

    var descriptors: [MetricDescriptor] { [load] }

    func collectNow() throws -> [MetricFamily] {
        var averages = [Double](repeating: 0, count: 3)
        // Unavailable values are not exposed.
        guard getloadavg(&averages, 3) == 3 else { return [] }
        let metrics = try zip(["1", "5", "15"], averages).map { minutes, average in
            Metric(labels: try LabelSet(["minutes": minutes]), value: average)
        }
        return [MetricFamily(load, metrics)]
    }
}
