// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// Input that the text parser accepts and rejects.
struct TextParserTests {
    typealias Code = ExpositionParseError.Code

    @Test func parsesOutputOfOtherLibraries() throws {
        let families = try parse(
            """

            # A comment, and one without words:
            #
            # HELP
            # HELP http_requests_total The total number of HTTP requests.
            # TYPE http_requests_total counter
            http_requests_total{method="post",code="200"} 1027 1395066363000
            http_requests_total{method="post",code="400",}    3 1395066363000
            msdos_file_access_time_seconds{path="C:\\\\DIR\\\\FILE.TXT",error="Cannot find file:\\n\\"FILE.TXT\\""} 1.458255915e9
            metric_without_timestamp_and_labels 12.47
            \t something_weird { problem = "division by zero" , } +Inf -3982045
            # TYPE http_request_duration_seconds histogram
            http_request_duration_seconds_bucket{le="0.05"} 24054
            http_request_duration_seconds_bucket{le="+Inf"} 144320
            http_request_duration_seconds_sum 53423
            http_request_duration_seconds_count 144320
            # TYPE rpc_duration_seconds summary
            # HELP rpc_duration_seconds A summary.
            rpc_duration_seconds{quantile="0.01"} 3102
            rpc_duration_seconds{quantile="0.99"} NaN
            rpc_duration_seconds_sum 1.7560473e+07
            rpc_duration_seconds_count 2693

            """
        )
        #expect(
            families.map(\.name) == [
                "http_requests_total", "msdos_file_access_time_seconds", "metric_without_timestamp_and_labels",
                "something_weird", "http_request_duration_seconds", "rpc_duration_seconds",
            ]
        )
        #expect(families.map(\.type) == [.counter, .unknown, .unknown, .unknown, .histogram, .summary])
        #expect(families[0].help == "The total number of HTTP requests.")
        #expect(families[0].metrics[0].timestamp == 1_395_066_363)
        #expect(families[1].metrics[0].labels["path"] == "C:\\DIR\\FILE.TXT")
        #expect(families[1].metrics[0].labels["error"] == "Cannot find file:\n\"FILE.TXT\"")
        #expect(families[3].metrics[0].value == .value(.infinity))
        #expect(families[3].metrics[0].timestamp == -3982.045)
        guard case .histogram(let histogram) = families[4].metrics[0].value else {
            Issue.record("no histogram")
            return
        }
        #expect(histogram.buckets.map(\.cumulativeCount) == [24054, 144_320])
        #expect(histogram.count == 144_320)
    }

    @Test func readsHistogramsBySampleName() throws {
        let families = try parse(
            """
            # TYPE x histogram
            x_bucket{a="1",le="1"} 1
            x_bucket{a="2",le="1"} 2
            x_count{a="1"} 1
            x_count{a="2"} 18446744073709551615

            """
        )
        #expect(families.count == 1)
        #expect(families[0].metrics.map(\.labels) == [try LabelSet(["a": "1"]), try LabelSet(["a": "2"])])
        guard case .histogram(let histogram) = families[0].metrics[1].value else {
            Issue.record("no histogram")
            return
        }
        #expect(histogram.count == .max)
        #expect(histogram.buckets.last?.upperBound == .infinity)
    }

    @Test func parsesAnEmptyExposition() throws {
        #expect(try parse("").isEmpty)
        #expect(try parse("\n\n# x\n").isEmpty)
    }

    @Test(
        arguments: [
            ("x 1", 1, .end),
            ("x 1\ny", 2, .end),
            ("x\n", 1, .value),
            ("x \n", 1, .value),
            ("x one\n", 1, .value),
            ("x 0x10\n", 1, .value),
            ("x 1_0\n", 1, .value),
            ("x 1e999\n", 1, .value),
            ("x 1\r\n", 1, .value),
            ("x nan(1)\n", 1, .value),
            ("x . \n", 1, .value),
            ("x 1 1.5\n", 1, .timestamp),
            ("x 1 99999999999999999999\n", 1, .timestamp),
            ("x 1 1 1\n", 1, .syntax),
            ("1x 1\n", 1, .syntax),
            ("é 1\n", 1, .syntax),
            ("x{a=\"1\" 1\n", 1, .labels),
            ("x{a=\"1} 1\n", 1, .labels),
            ("x{a=1} 1\n", 1, .labels),
            ("x{a} 1\n", 1, .labels),
            ("x{,} 1\n", 1, .labels),
            ("x{a=\"1\",,} 1\n", 1, .labels),
            ("x{a=\"1\"b=\"2\"} 1\n", 1, .labels),
            ("x{a=\"1\",a=\"2\"} 1\n", 1, .labels),
            ("x{__name__=\"1\"} 1\n", 1, .labels),
            ("x{1=\"1\"} 1\n", 1, .labels),
            ("x{a=\"\\x\"} 1\n", 1, .encoding),
            ("# HELP x \\x\nx 1\n", 1, .encoding),
            ("# HELP x \\\nx 1\n", 1, .encoding),
            ("# TYPE x mystery\nx 1\n", 1, .metadata),
            ("# TYPE x gauge gauge\nx 1\n", 1, .metadata),
            ("# TYPE x gaugehistogram\n", 1, .metadata),
            ("# TYPE x gauge\n# TYPE x gauge\n", 2, .metadata),
            ("# HELP x a\n# HELP x a\n", 2, .metadata),
            ("x 1\n# TYPE x gauge\n", 2, .metadata),
            ("x 1\nx 2\n", 2, .grouping),
            ("x 1\ny 1\nx{a=\"1\"} 2\n", 3, .grouping),
            ("# TYPE x counter\nx -1\n", 1, .value),
            ("# TYPE x counter\nx NaN\n", 1, .value),
            ("# TYPE x histogram\nx_bucket{le=\"1\"} 1\n", 1, .inconsistent),
            ("# TYPE x histogram\nx_bucket{le=\"+Inf\"} 1\nx_count 2\n", 1, .inconsistent),
            ("# TYPE x histogram\nx_bucket{le=\"2\"} 1\nx_bucket{le=\"1\"} 1\nx_count 1\n", 1, .inconsistent),
            ("# TYPE x histogram\nx_bucket{le=\"1\"} 2\nx_bucket{le=\"2\"} 1\nx_count 2\n", 1, .inconsistent),
            ("# TYPE x histogram\nx_bucket{le=\"1\"} 1\nx_bucket{le=\"1\"} 1\n", 3, .grouping),
            ("# TYPE x histogram\nx_bucket{le=\"1\"} 1.5\n", 2, .value),
            ("# TYPE x histogram\nx_bucket{le=\"1\"} -1\n", 2, .value),
            ("# TYPE x histogram\nx_bucket{le=\"one\"} 1\n", 2, .labels),
            ("# TYPE x histogram\nx_bucket{le=\"NaN\"} 1\n", 2, .labels),
            ("# TYPE x histogram\nx_bucket 1\n", 2, .labels),
            ("# TYPE x histogram\nx_sum{le=\"1\"} 1\nx_count{le=\"1\"} 1\n", 1, .labels),
            ("# TYPE x histogram\nx 1\n", 2, .grouping),
            ("# TYPE x summary\nx 1\n", 2, .labels),
            ("# TYPE x summary\nx{quantile=\"2\"} 1\n", 1, .inconsistent),
            ("# TYPE x summary\nx{quantile=\"0.5\"} 1\nx{quantile=\"0.1\"} 1\n", 1, .inconsistent),
            ("# TYPE x summary\nx_count 1.5\n", 2, .value),
            ("# TYPE x summary\nx_count 18446744073709551616\n", 2, .value),
        ] as [(String, Int, Code)]
    )
    func rejectsInvalidInput(_ text: String, _ line: Int, _ code: Code) throws {
        let error = try #require(throws: ExpositionParseError.self) { try parse(text) }
        #expect(error.line == line)
        #expect(error.code == code, "\(error)")
        #expect(error.description.hasPrefix("line \(line) of the exposition cannot be read: "))
    }

    @Test(arguments: [
        [UInt8(ascii: "x"), 0xFF, UInt8(ascii: "\n")], Array("x{a=\"".utf8) + [0xC3] + Array("\"} 1\n".utf8),
        Array("# HELP x ".utf8) + [0xED, 0xA0, 0x80, 0x0A],
    ])
    func rejectsInvalidUTF8(_ bytes: [UInt8]) {
        #expect(throws: ExpositionParseError.self) { try ExpositionFormat.text.parse(bytes) }
    }

    @Test func acceptsTextAtItsLimits() throws {
        for (limits, text) in [
            (ParserLimits(maximumSize: 4), "x 1\n"), (ParserLimits(maximumLineLength: 3), "x 1\ny 2\n"),
            (ParserLimits(maximumLabels: 2), "x{a=\"1\",b=\"2\"} 1\n"),
            (ParserLimits(maximumFamilies: 2), "x 1\ny 1\n"), (ParserLimits(maximumSamples: 2), "x 1\ny 1\n"),
        ] {
            _ = try ExpositionFormat.text.parse(Array(text.utf8), limits: limits)
        }
        let limits = ParserLimits()
        #expect(limits.maximumSize == 268_435_456 && limits.maximumLineLength == 1_048_576)
        #expect(limits.maximumLabels == 256 && limits.maximumFamilies == 100_000 && limits.maximumSamples == 10_000_000)
    }

    @Test(arguments: [
        (ParserLimits(maximumSize: 3), "x 1\n", 1),
        (ParserLimits(maximumLineLength: 3), "x 1\ny 10\n", 2),
        (ParserLimits(maximumLabels: 1), "x{a=\"1\",b=\"2\"} 1\n", 1),
        (ParserLimits(maximumFamilies: 1), "x 1\ny 1\nz 1\n", 2),
        (ParserLimits(maximumSamples: 2), "x 1\ny 1\nz 1\n", 3),
    ])
    func enforcesItsLimits(_ limits: ParserLimits, _ text: String, _ line: Int) throws {
        let error = try #require(throws: ExpositionParseError.self) {
            try ExpositionFormat.text.parse(Array(text.utf8), limits: limits)
        }
        #expect(error.code == .limit)
        #expect(error.line == line)
        #expect(throws: Never.self) { try ExpositionFormat.text.parse(Array(text.utf8)) }
    }

    private func parse(_ text: String) throws -> [MetricFamily] {
        try ExpositionFormat.text.parse(Array(text.utf8))
    }
}

/// Input that the OpenMetrics parser accepts and rejects, in addition to the public test suite.
struct OpenMetricsParserTests {
    @Test(
        arguments: [
            ("", 1, .end), ("x 1\n", 1, .end), ("x 1\n# EOF\n\n", 3, .end), ("# EOF\r\n", 1, .metadata),
            ("x 1 # \n# EOF\n", 1, .labels), ("x 1 1 # \n# EOF\n", 1, .labels), ("\n# EOF\n", 1, .syntax),
            ("# TYPE x counter\nx_total 1 # {a=\"1\"} b\n# EOF\n", 2, .exemplar),
            ("# TYPE x counter\nx_total 1 # {a=\"1\"} 1 Inf\n# EOF\n", 2, .timestamp),
            ("# TYPE x counter\nx_created 1\n# EOF\n", 1, .inconsistent),
            ("x{a=\"1\"} 1\nx{a=\"2\"} 1\nx{a=\"1\"} 1 1\n# EOF\n", 3, .grouping),
            ("x 1 2\nx 1 1\n# EOF\n", 2, .timestamp), ("x 1\nx 1\n# EOF\n", 2, .grouping),
            ("# TYPE x gauge\n# TYPE x_total counter\n# TYPE x counter\n# EOF\n", 3, .grouping),
        ] as [(String, Int, ExpositionParseError.Code)]
    )
    func rejectsInvalidInput(_ text: String, _ line: Int, _ code: ExpositionParseError.Code) throws {
        let error = try #require(throws: ExpositionParseError.self) {
            try ExpositionFormat.openMetrics.parse(Array(text.utf8))
        }
        #expect(error.line == line, "\(error)")
        #expect(error.code == code, "\(error)")
    }

    @Test func parsesAllTypes() throws {
        let families = try ExpositionFormat.openMetrics.parse(
            Array(
                #"""
                # TYPE c_joules counter
                # UNIT c_joules joules
                # HELP c_joules A \"counter\" \x\
                c_joules_total{a="b\z"} 3 1.5 # {trace_id="4bf9"} 0.2 7
                c_joules_created{a="b\z"} 1 1.5
                # TYPE i info
                i_info{v="1"} 1
                # EOF
                """#.utf8
            )
        )
        #expect(families.map(\.name) == ["c_joules_total", "i_info"])
        #expect(families[0].unit == "joules")
        #expect(families[0].help == "A \"counter\" \\x\\")
        let metric = try #require(families[0].metrics.first)
        #expect(metric.labels["a"] == "b\\z")
        #expect(metric.timestamp == 1.5)
        #expect(metric.exemplar == (try Exemplar(labels: LabelSet(["trace_id": "4bf9"]), value: 0.2, timestamp: 7)))
        #expect(families[1].type == .info)
    }

    @Test func keepsTheFirstOfEqualTimestamps() throws {
        let families = try ExpositionFormat.openMetrics.parse(Array("x 1 5\nx 2 5\nx 3 6\n# EOF\n".utf8))
        #expect(families.first?.metrics.map(\.value) == [.value(1), .value(3)])
    }
}
