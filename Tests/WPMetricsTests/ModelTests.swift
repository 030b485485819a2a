// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// Names, labels and values are valid by construction.
struct ModelTests {
    typealias Code = MetricError.Code

    @Test(arguments: [
        ["1", "2"], ["", ""], [#"a\b"#, #"\"#], ["\"", "\\\""], ["\n\\n", #"\n"#], ["机房 é", "a,b=\"c\"} "],
        ["sixteen bytes or more of text\n", "\u{0}"],
    ])
    func `returns label values as given`(_ values: [String]) throws {
        let labels = try LabelSet([Label("second", values[1]), Label("first", values[0])])
        #expect(labels.map(\.name) == ["first", "second"])
        #expect(labels.map { Array($0.value.utf8) } == values.map { Array($0.utf8) })
        #expect(labels["first"].map { Array($0.utf8) } == Array(values[0].utf8))
        #expect(labels["third"] == String?.none)
        #expect(
            try labels.adding("third", "3")
                == LabelSet([Label("first", values[0]), Label("second", values[1]), Label("third", "3")])
        )
    }

    @Test(arguments: [[], ["b"], ["b", "d"], ["b", "d", "f"]], ["a", "c", "e", "g"])
    func `inserts an additional label in order`(_ names: [String], _ name: String) throws {
        let labels = names.map { Label($0, "\"\($0)\\\n,") }
        let label = Label(name, "}\" ")
        #expect(try LabelSet(labels).adding(label.name, label.value) == LabelSet([label] + labels))
        #expect(try LabelSet(labels).adding(label.name, label.value).map(\.name) == (names + [name]).sorted())
        for taken in names { expect(.duplicateLabelName) { try LabelSet(labels).adding(taken, "x") } }
    }

    @Test func `sets with different label names keep them`() throws {
        let sets = try (0..<40).map { number in try LabelSet([Label("name_\(number % 20)", "\(number)")]) }
        for (number, set) in sets.enumerated() {
            #expect(set.description == "{name_\(number % 20)=\"\(number)\"}")
            #expect(set.map(\.name) == ["name_\(number % 20)"])
        }
    }

    @Test func `appending to a family does not copy its metrics`() throws {
        var family = MetricFamily(try MetricDescriptor(name: "m", help: "M.", type: .gauge, labelNames: []), [])
        family.metrics.reserveCapacity(100)
        let start = family.metrics.withUnsafeBufferPointer { $0.baseAddress }
        for value in 0..<100 { family.metrics.append(Metric(value: Double(value))) }
        #expect(family.metrics.withUnsafeBufferPointer { $0.baseAddress } == start)
        #expect(family.metrics.count == 100)
    }

    @Test(arguments: ["a", "_", ":", "A9", "winpower_device_cumulative_energy", "winpower_exporter_device_count"])
    func acceptsValidNames(_ name: String) throws {
        #expect(try MetricDescriptor(name: name, help: "", type: .gauge).name == name)
    }

    @Test(arguments: ["", "9a", "a-b", "a b", "é", "a\n", "a.b", "a\u{0}"])
    func rejectsInvalidNames(_ name: String) {
        expect(.invalidMetricName) { try MetricDescriptor(name: name, help: "", type: .gauge) }
    }

    @Test(
        arguments: [
            ("", .invalidLabelName), ("9a", .invalidLabelName), ("a:b", .invalidLabelName), ("é", .invalidLabelName),
            ("__name__", .reservedLabelName), ("__a", .reservedLabelName),
        ] as [(String, Code)]
    )
    func rejectsInvalidLabels(_ name: String, _ code: Code) {
        expect(code) { try LabelSet([Label(name, "x")]) }
        expect(code) { try LabelSet.empty.adding(name, "x") }
        expect(code) { try MetricDescriptor(name: "x", help: "", type: .gauge, labelNames: [name]) }
    }

    @Test(arguments: [("le", MetricType.histogram), ("le", .gaugeHistogram), ("quantile", .summary)])
    func rejectsLabelsReservedByTheType(_ label: String, _ type: MetricType) throws {
        expect(.reservedLabelName) { try MetricDescriptor(name: "x", help: "", type: type, labelNames: [label]) }
        _ = try MetricDescriptor(name: "x", help: "", type: .gauge, labelNames: [label])
    }

    @Test func rejectsDuplicateLabels() {
        expect(.duplicateLabelName) { try LabelSet(["a": "1", "b": "2", "a": "3"]) }
        expect(.duplicateLabelName) { try LabelSet(["a": "1"]).adding("a", "1") }
        expect(.duplicateLabelName) { try MetricDescriptor(name: "x", help: "", type: .gauge, labelNames: ["a", "a"]) }
    }

    @Test func sortsLabels() throws {
        let labels = try LabelSet(["b": "2", "c": "", "a": "1\"\n"])
        #expect(labels.map(\.name) == ["a", "b", "c"])
        #expect(labels.description == #"{a="1\"\n",b="2",c=""}"#)
        #expect(labels["b"] == "2")
        #expect(labels["d"] == nil)
        #expect(labels.count == 3)
        let other = try LabelSet(["c": "", "a": "1\"\n"]).adding("b", "2")
        #expect(labels == other)
        #expect(labels.hashValue == other.hashValue)
        #expect(try LabelSet([]) == .empty)
        #expect(LabelSet.empty.isEmpty)
    }

    /// Prometheus compares bytes, and sees two series here.
    @Test func distinguishesCanonicallyEquivalentStrings() throws {
        let (composed, decomposed) = (try LabelSet(["a": "\u{E9}"]), try LabelSet(["a": "e\u{301}"]))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func ordersLabels() throws {
        let sets = try [
            .empty, LabelSet(["a": "1"]), LabelSet(["a": "10"]), LabelSet(["a": "2"]), LabelSet(["b": "1"]),
        ]
        #expect(sets.reversed().sorted() == sets)
        #expect(!(sets[1] < sets[1]))
    }

    @Test(
        arguments: [
            ("x_seconds", .gauge, "seconds", nil), ("x_seconds_total", .counter, "seconds", nil),
            ("x_watt_hours", .gauge, "watt_hours", nil), ("x", .gauge, "seconds", .invalidUnit),
            ("seconds", .gauge, "seconds", .invalidUnit), ("x_seconds", .gauge, "", .invalidUnit),
            ("x_a-b", .gauge, "a-b", .invalidMetricName), ("x_total_seconds", .counter, "total", .invalidUnit),
            ("x_u_info", .info, "u", .invalidUnit), ("x_u", .stateSet, "u", .invalidUnit),
            ("info", .info, nil, .invalidMetricName),
            ("_info", .info, nil, .invalidMetricName), ("x_information", .info, nil, .invalidMetricName),
            ("x_info", .info, nil, nil),
        ] as [(String, MetricType, String?, Code?)]
    )
    func checksUnitsAndSuffixes(_ name: String, _ type: MetricType, _ unit: String?, _ code: Code?) throws {
        guard let code else {
            #expect(try MetricDescriptor(name: name, help: "", type: type, unit: unit).unit == unit)
            return
        }
        expect(code) { try MetricDescriptor(name: name, help: "", type: type, unit: unit) }
    }

    @Test(
        arguments: [
            [], [1], [.infinity, 1], [1, 1, .infinity], [2, 1, .infinity], [.nan, .infinity], [1, .nan],
        ] as [[Double]]
    )
    func rejectsInvalidBuckets(_ bounds: [Double]) {
        let buckets = bounds.map { HistogramValue.Bucket(upperBound: $0, cumulativeCount: 1) }
        expect(.invalidBuckets) { try HistogramValue(buckets: buckets, sum: nil) }
    }

    /// The suffix is removed only if the name is not empty without it.
    @Test(arguments: [("_total", "_total"), ("a_total", "a"), ("atotal", "atotal"), ("a_total_total", "a_total")])
    func removesOneSuffixFromACounter(_ name: String, _ shown: String) throws {
        let descriptor = try MetricDescriptor(name: name, help: "", type: .counter)
        let text = String(decoding: OpenMetricsFormat.encode([MetricFamily(descriptor, value: 1)]), as: UTF8.self)
        #expect(text == "# TYPE \(shown) counter\n\(shown)_total 1\n# EOF\n")
    }

    @Test func rejectsDecreasingBuckets() {
        let buckets = [
            HistogramValue.Bucket(upperBound: 1, cumulativeCount: 2),
            HistogramValue.Bucket(upperBound: .infinity, cumulativeCount: 1),
        ]
        expect(.invalidBuckets) { try HistogramValue(buckets: buckets, sum: nil) }
    }

    @Test(arguments: [[-0.1], [1.1], [.nan], [0.5, 0.5], [0.9, 0.5]])
    func rejectsInvalidQuantiles(_ quantiles: [Double]) {
        expect(.invalidQuantiles) {
            try SummaryValue(quantiles: quantiles.map { .init($0, value: 1) }, sum: 1, count: 1)
        }
    }

    @Test func rejectsLongExemplars() throws {
        _ = try Exemplar(labels: LabelSet(["a": String(repeating: "é", count: 127)]), value: 1)
        expect(.invalidExemplar) { try Exemplar(labels: LabelSet(["a": String(repeating: "é", count: 128)]), value: 1) }
        // One character to the reader, 128 code points to the format.
        let stacked = "a" + String(repeating: "\u{301}", count: 127)
        expect(.invalidExemplar) { try Exemplar(labels: LabelSet(["a": stacked]), value: 1) }
        expect(.invalidExemplar) { try Exemplar(labels: .empty, value: 1, timestamp: .infinity) }
    }

    @Test func createsAMetricPerState() throws {
        let labels = try LabelSet(["device_id": "1"])
        let metrics = try Metric.states(["line", "bypass"], active: "bypass", label: "mode", labels: labels)
        #expect(
            metrics.map(\.labels.description) == [
                #"{device_id="1",mode="line"}"#, #"{device_id="1",mode="bypass"}"#,
            ]
        )
        #expect(metrics.map(\.value) == [.value(0), .value(1)])
        let none = try Metric.states(["line", "bypass"], active: nil, label: "mode")
        #expect(none.map(\.value) == [.value(0), .value(0)])
        expect(.duplicateLabelName) {
            try Metric.states(["line"], active: nil, label: "device_id", labels: labels)
        }
        #expect(Metric.info(labels) == Metric(labels: labels, value: 1))
    }

    @Test func describesErrors() {
        let error = #expect(throws: MetricError.self) { try MetricDescriptor(name: "a b", help: "", type: .gauge) }
        #expect(error?.subject == "a b")
        #expect(
            error?.description == "\"a b\" is not a metric name: use letters, digits and '_', not starting with a digit"
        )
    }

    private func expect(
        _ code: Code,
        _ location: SourceLocation = #_sourceLocation,
        when make: () throws -> some Any
    ) {
        let error = #expect(throws: MetricError.self, sourceLocation: location) { _ = try make() }
        #expect(error?.code == code, sourceLocation: location)
        #expect(error?.description.isEmpty == false, sourceLocation: location)
    }
}
