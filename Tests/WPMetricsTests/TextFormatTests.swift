// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// The exact bytes of the text format 0.0.4.
struct TextFormatTests {
    @Test func writesEachType() throws {
        let labels = try LabelSet(["b": "2", "a": "1"])
        let families = [
            MetricFamily(
                try MetricDescriptor(name: "c_total", help: "A counter.", type: .counter, labelNames: ["a", "b"]),
                [Metric(labels: labels, value: 3)]
            ),
            MetricFamily(try MetricDescriptor(name: "g", help: "", type: .gauge), value: -0.25),
            MetricFamily(
                try MetricDescriptor(name: "h_seconds", help: "A histogram.", type: .histogram, unit: "seconds"),
                [
                    Metric(
                        labels: labels,
                        .histogram(
                            try HistogramValue(
                                buckets: [
                                    .init(upperBound: 0.005, cumulativeCount: 1),
                                    .init(upperBound: 1, cumulativeCount: 4),
                                    .init(upperBound: 1e6, cumulativeCount: 4),
                                    .init(upperBound: .infinity, cumulativeCount: 5),
                                ],
                                sum: 12.5
                            )
                        )
                    )
                ]
            ),
            MetricFamily(
                try MetricDescriptor(name: "s", help: "A summary.", type: .summary),
                [
                    Metric(
                        .summary(
                            try SummaryValue(
                                quantiles: [.init(0.5, value: 1), .init(0.99, value: .nan)],
                                sum: 7,
                                count: 2
                            )
                        )
                    )
                ]
            ),
            MetricFamily(try MetricDescriptor(name: "u", help: "Untyped.", type: .unknown), value: 1),
            MetricFamily(
                try MetricDescriptor(name: "i_info", help: "Info.", type: .info),
                [Metric(labels: labels, value: 1)]
            ),
        ]
        #expect(
            text(families) == """
                # HELP c_total A counter.
                # TYPE c_total counter
                c_total{a="1",b="2"} 3
                # TYPE g gauge
                g -0.25
                # HELP h_seconds A histogram.
                # TYPE h_seconds histogram
                h_seconds_bucket{a="1",b="2",le="0.005"} 1
                h_seconds_bucket{a="1",b="2",le="1"} 4
                h_seconds_bucket{a="1",b="2",le="1e+06"} 4
                h_seconds_bucket{a="1",b="2",le="+Inf"} 5
                h_seconds_sum{a="1",b="2"} 12.5
                h_seconds_count{a="1",b="2"} 5
                # HELP s A summary.
                # TYPE s summary
                s{quantile="0.5"} 1
                s{quantile="0.99"} NaN
                s_sum 7
                s_count 2
                # HELP u Untyped.
                # TYPE u untyped
                u 1
                # HELP i_info Info.
                # TYPE i_info gauge
                i_info{a="1",b="2"} 1

                """
        )
    }

    @Test func escapesHelpAndLabels() throws {
        let family = MetricFamily(
            try MetricDescriptor(name: "x", help: "a \\ b\nc \"d\"", type: .gauge),
            [Metric(labels: try LabelSet(["l": "a \\ b\nc \"d\" {é}"]), value: 1)]
        )
        #expect(
            text([family]) == #"""
                # HELP x a \\ b\nc "d"
                # TYPE x gauge
                x{l="a \\ b\nc \"d\" {é}"} 1

                """#
        )
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "-0"), (1, "1"), (-17, "-17"), (0.1, "0.1"), (230.5, "230.5"), (1e6, "1000000"),
        (9_007_199_254_740_991, "9007199254740991"), (9_007_199_254_740_992, "9007199254740992"),
        (9_007_199_254_740_994, "9.007199254740994e+15"), (1e21, "1e+21"), (1e-5, "1e-05"),
        (.leastNonzeroMagnitude, "5e-324"),
        (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
    ])
    func writesValues(_ value: Double, _ expected: String) throws {
        let family = MetricFamily(try MetricDescriptor(name: "x", help: "", type: .gauge), value: value)
        #expect(text([family]) == "# TYPE x gauge\nx \(expected)\n")
    }

    /// The results of Go's `strconv.FormatFloat(x, 'g', -1, 64)`.
    @Test(arguments: [
        (0.005, "0.005"), (0.0001, "0.0001"), (0.00001, "1e-05"), (0.000025, "2.5e-05"), (0, "0"), (1, "1"),
        (2.5, "2.5"),
        (10, "10"), (100_000, "100000"), (1_000_000, "1e+06"), (1_234_567, "1.234567e+06"), (123_456, "123456"),
        (1e23, "1e+23"), (1e100, "1e+100"), (-1.5, "-1.5"), (1_555_555.55555552, "1.55555555555552e+06"),
        (.leastNonzeroMagnitude, "5e-324"),
    ])
    func writesBoundsLikeGo(_ bound: Double, _ expected: String) throws {
        let value = try HistogramValue(
            buckets: [
                .init(upperBound: bound, cumulativeCount: 0), .init(upperBound: .infinity, cumulativeCount: 0),
            ],
            sum: nil
        )
        let family = MetricFamily(
            try MetricDescriptor(name: "x", help: "", type: .histogram),
            [Metric(.histogram(value))]
        )
        #expect(text([family]).contains("x_bucket{le=\"\(expected)\"} 0\n"))
    }

    @Test func writesTimestampsInMilliseconds() throws {
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let times = [1_750_000_000.123, -0.5, 0, .infinity, .nan, 1e300]
        let family = MetricFamily(descriptor, times.map { Metric(value: 1, timestamp: $0) })
        #expect(text([family]) == "# TYPE x gauge\nx 1 1750000000123\nx 1 -500\nx 1 0\nx 1\nx 1\nx 1\n")
    }

    @Test func writesNothingForAnEmptyFamily() throws {
        let family = MetricFamily(try MetricDescriptor(name: "x", help: "Help.", type: .gauge), [])
        #expect(TextFormat.encode([family]).isEmpty)
        #expect(TextFormat.encode([]).isEmpty)
    }

    private func text(_ families: [MetricFamily]) -> String {
        String(decoding: TextFormat.encode(families), as: UTF8.self)
    }
}
