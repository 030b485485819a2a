// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// The format for an `Accept` header.
struct ExpositionFormatTests {
    @Test func returnsContentTypes() {
        #expect(ExpositionFormat.text.contentType == "text/plain; version=0.0.4; charset=utf-8")
        #expect(
            ExpositionFormat.openMetrics.contentType == "application/openmetrics-text; version=1.0.0; charset=utf-8"
        )
        #expect(
            ExpositionFormat(.openMetrics, escaping: .underscores).contentType
                == "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores"
        )
        #expect(ExpositionFormat(.text, escaping: .values).contentType == ExpositionFormat.text.contentType)
    }

    @Test func encodesInTheSyntaxOfTheFormat() throws {
        let families = [MetricFamily(try MetricDescriptor(name: "x_total", help: "", type: .counter), value: 1)]
        #expect(ExpositionFormat.text.encode(families) == TextFormat.encode(families))
        #expect(ExpositionFormat.openMetrics.encode(families) == OpenMetricsFormat.encode(families))
    }

    static let openMetricsUTF8 = ExpositionFormat(.openMetrics, escaping: .allowUTF8)

    @Test(
        arguments: [
            (nil, .text),
            ("", .text),
            ("*/*", .text),
            ("text/plain", .text),
            ("text/*", .text),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", .text),
            ("text/plain;version=0.0.4;q=0.3", .text),
            ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
            ("application/openmetrics-text;version=\"1.0.0\"", .openMetrics),
            ("APPLICATION/OpenMetrics-Text ; Version=1.0.0", .openMetrics),
            ("application/*", .openMetrics),
            ("application/*;q=0.1,application/openmetrics-text;q=0.9,text/plain;q=0.5", .openMetrics),
            ("application/openmetrics-text;q=0.1,application/openmetrics-text;version=1.0.0,*/*;q=0.5", .openMetrics),
            ("application/openmetrics-text;version=0.0.1", .text),
            ("application/openmetrics-text;version=2.0.0", .text),
            ("application/json", .text),
            ("application/openmetrics-text;q=0", .text),
            ("application/openmetrics-text;q=0,*/*", .text),
            ("text/plain;q=0,application/openmetrics-text;q=0.1", .openMetrics),
            ("text/plain;version=0.0.4;q=0.5,application/openmetrics-text;version=1.0.0;q=0.4", .text),
            ("text/plain;version=0.0.4;q=0.4,application/openmetrics-text;version=1.0.0;q=0.5", .openMetrics),
            ("text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0", .text),
            ("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4", .openMetrics),
            ("application/openmetrics-text;q=0.5,*/*;q=0.8", .text),
            ("*/*;q=0.5,application/openmetrics-text;q=0.5", .openMetrics),
            // Malformed ranges and qualities are ignored.
            ("application/openmetrics-text;q=high", .text),
            ("application/openmetrics-text;q=2", .text),
            ("application/openmetrics-text;q=0x1p-1", .text),
            ("application/openmetrics-text;q=nan", .text),
            ("application/openmetrics-text;q=", .text),
            ("application/openmetrics-text;q", .openMetrics),
            (",,;;,/,text,/plain,text/;=;q=,application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text;x=\"a,b;q=0\"", .openMetrics),
            ("application/openmetrics-text;x=\"", .openMetrics),
            ("\u{0}\u{ff}é/é;é=é", .text),
        ] as [(String?, ExpositionFormat)]
    )
    func choosesTheFormatThatTheClientPrefers(_ accept: String?, _ expected: ExpositionFormat) {
        #expect(ExpositionFormat.negotiate(accept: accept.map { [$0] } ?? []) == expected)
    }

    @Test(
        arguments: [
            // Prometheus 2.
            (
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                    + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics
            ),
            // Prometheus 3.
            (
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                    + "application/openmetrics-text;version=0.0.1;q=0.5,"
                    + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                openMetricsUTF8
            ),
            // Prometheus 3 that prefers protocol buffers, for native histograms.
            (
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,"
                    + "application/openmetrics-text;version=1.0.0;escaping=allow-utf8;q=0.5,text/plain;version=0.0.4;q=0.3,"
                    + "*/*;q=0.2", openMetricsUTF8
            ),
            // Prometheus 3 configured to use text.
            ("text/plain;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.3", .text),
            (
                "application/openmetrics-text;version=1.0.0;escaping=dots",
                ExpositionFormat(.openMetrics, escaping: .dots)
            ),
            ("application/openmetrics-text;escaping=values", ExpositionFormat(.openMetrics, escaping: .values)),
            ("application/openmetrics-text;escaping=\"x; evil=1\"", .openMetrics),
        ] as [(String, ExpositionFormat)]
    )
    func negotiatesWithScrapers(_ accept: String, _ expected: ExpositionFormat) {
        #expect(ExpositionFormat.negotiate(accept: [accept]) == expected)
    }

    @Test func combinesSeveralHeaderFields() {
        let accept = ["text/plain;q=0.1", "application/openmetrics-text;version=1.0.0"]
        #expect(ExpositionFormat.negotiate(accept: accept) == .openMetrics)
    }

    @Test func offersOpenMetricsOnlyWhenEnabled() {
        let format = ExpositionFormat.negotiate(accept: ["application/openmetrics-text"], offersOpenMetrics: false)
        #expect(format == .text)
    }

    @Test func parsesALimitedNumberOfRanges() {
        let header = String(repeating: "a/b,", count: 100_000) + "application/openmetrics-text"
        #expect(ExpositionFormat.negotiate(accept: [header]) == .text)
    }
}
