// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// The exact bytes of OpenMetrics 1.0.0.
struct OpenMetricsFormatTests {
    @Test func writesEachType() throws {
        let labels = try LabelSet(["a": "1"])
        let exemplar = try Exemplar(labels: LabelSet(["trace_id": "4bf9"]), value: 0.2, timestamp: 1_750_000_000.5)
        let histogram = try HistogramValue(
            buckets: [
                .init(upperBound: 0.5, cumulativeCount: 1, exemplar: exemplar),
                .init(upperBound: 1, cumulativeCount: 4),
                .init(upperBound: .infinity, cumulativeCount: 5),
            ],
            sum: 12.5
        )
        let summary = try SummaryValue(
            quantiles: [.init(0, value: .nan), .init(0.5, value: 2), .init(1, value: -1)],
            sum: 7,
            count: 2
        )
        let families = [
            MetricFamily(
                try MetricDescriptor(name: "c_joules_total", help: "A \"counter\".", type: .counter, unit: "joules"),
                [Metric(labels: labels, value: 3, exemplar: exemplar)]
            ),
            MetricFamily(try MetricDescriptor(name: "d", help: "", type: .counter), value: 1),
            MetricFamily(
                try MetricDescriptor(name: "g", help: "A gauge.", type: .gauge),
                [Metric(value: .nan, timestamp: 1_750_000_000.25)]
            ),
            MetricFamily(
                try MetricDescriptor(name: "gh", help: "", type: .gaugeHistogram),
                [Metric(.histogram(histogram))]
            ),
            MetricFamily(
                try MetricDescriptor(name: "h_seconds", help: "A histogram.", type: .histogram, unit: "seconds"),
                [Metric(labels: labels, .histogram(histogram))]
            ),
            MetricFamily(
                try MetricDescriptor(name: "i_info", help: "Info.", type: .info),
                [Metric(labels: labels, value: 1)]
            ),
            MetricFamily(
                try MetricDescriptor(name: "mode", help: "", type: .stateSet),
                [Metric(labels: try labels.adding("mode", "line"), value: 1)]
            ),
            MetricFamily(try MetricDescriptor(name: "s", help: "", type: .summary), [Metric(.summary(summary))]),
            MetricFamily(try MetricDescriptor(name: "u", help: "", type: .unknown), value: 1.5),
        ]
        #expect(
            text(families) == #"""
                # TYPE c_joules counter
                # UNIT c_joules joules
                # HELP c_joules A \"counter\".
                c_joules_total{a="1"} 3 # {trace_id="4bf9"} 0.2 1750000000.5
                # TYPE d counter
                d_total 1
                # TYPE g gauge
                # HELP g A gauge.
                g NaN 1750000000.25
                # TYPE gh gaugehistogram
                gh_bucket{le="0.5"} 1 # {trace_id="4bf9"} 0.2 1750000000.5
                gh_bucket{le="1.0"} 4
                gh_bucket{le="+Inf"} 5
                gh_gcount 5
                gh_gsum 12.5
                # TYPE h_seconds histogram
                # UNIT h_seconds seconds
                # HELP h_seconds A histogram.
                h_seconds_bucket{a="1",le="0.5"} 1 # {trace_id="4bf9"} 0.2 1750000000.5
                h_seconds_bucket{a="1",le="1.0"} 4
                h_seconds_bucket{a="1",le="+Inf"} 5
                h_seconds_count{a="1"} 5
                h_seconds_sum{a="1"} 12.5
                # TYPE i info
                # HELP i Info.
                i_info{a="1"} 1
                # TYPE mode stateset
                mode{a="1",mode="line"} 1
                # TYPE s summary
                s{quantile="0.0"} NaN
                s{quantile="0.5"} 2
                s_count 2
                s_sum 7
                # TYPE u unknown
                u 1.5
                # EOF

                """#
        )
    }

    @Test func endsAnEmptyExposition() {
        #expect(text([]) == "# EOF\n")
    }

    /// The canonical numbers that the specification lists.
    @Test(arguments: [
        (0, "0.0"), (0.001, "0.001"), (0.01, "0.01"), (0.1, "0.1"), (0.9, "0.9"), (1, "1.0"), (1.1, "1.1"),
        (10, "10.0"), (1e-10, "1e-10"), (1e-5, "1e-05"), (1e-4, "0.0001"), (100, "100.0"), (100_000, "100000.0"),
        (1e6, "1e+06"), (1e9, "1e+09"), (1e10, "1e+10"),
    ])
    func writesCanonicalBounds(_ bound: Double, _ expected: String) throws {
        let value = try HistogramValue(
            buckets: [.init(upperBound: bound, cumulativeCount: 0), .init(upperBound: .infinity, cumulativeCount: 0)],
            sum: 0
        )
        let family = MetricFamily(
            try MetricDescriptor(name: "x", help: "", type: .histogram),
            [Metric(.histogram(value))]
        )
        #expect(text([family]).contains("x_bucket{le=\"\(expected)\"} 0\n"))
    }

    @Test(
        arguments: [
            (.histogram, -1.0, 5.0, false), (.histogram, 1, -5, false), (.histogram, 1, .nan, false),
            (.histogram, 1, nil, false), (.histogram, 1, 5, true), (.gaugeHistogram, -1, -5, true),
            (.gaugeHistogram, 1, -5, false), (.gaugeHistogram, -1, .nan, false),
        ] as [(MetricType, Double, Double?, Bool)]
    )
    func omitsInvalidSums(_ type: MetricType, _ bound: Double, _ sum: Double?, _ isWritten: Bool) throws {
        let value = try HistogramValue(
            buckets: [.init(upperBound: bound, cumulativeCount: 1), .init(upperBound: .infinity, cumulativeCount: 2)],
            sum: sum
        )
        let family = MetricFamily(try MetricDescriptor(name: "x", help: "", type: type), [Metric(.histogram(value))])
        #expect(text([family]).contains("sum ") == isWritten)
        #expect(text([family]).contains("count 2") == isWritten)
    }

    private func text(_ families: [MetricFamily]) -> String {
        String(decoding: OpenMetricsFormat.encode(families), as: UTF8.self)
    }
}
