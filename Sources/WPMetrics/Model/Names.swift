// SPDX-License-Identifier: MIT

/// The rules for names (Prometheus data model, classic character set).
enum Names {
    static func isMetricName(_ text: some Sequence<UInt8>) -> Bool {
        isName(text) { $0 == UInt8(ascii: ":") }
    }

    static func isLabelName(_ text: some Sequence<UInt8>) -> Bool {
        isName(text) { _ in false }
    }

    static func checkMetric(_ name: String) throws(MetricError) {
        guard isMetricName(name.utf8) else {
            throw MetricError(
                .invalidMetricName,
                subject: name,
                "\(String(reflecting: name)) is not a metric name: use letters, digits and '_', not starting with a digit"
            )
        }
    }

    static func checkLabel(_ name: String) throws(MetricError) {
        guard isLabelName(name.utf8) else {
            throw MetricError(
                .invalidLabelName,
                subject: name,
                "\(String(reflecting: name)) is not a label name: use letters, digits and '_', not starting with a digit"
            )
        }
        guard !name.utf8.starts(with: "__".utf8) else {
            throw MetricError(
                .reservedLabelName,
                subject: name,
                "the label name \(name) begins with '__', which Prometheus reserves: rename the label"
            )
        }
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isName(_ text: some Sequence<UInt8>, extra: (UInt8) -> Bool) -> Bool {
        var isFirst = true
        for byte in text {
            guard isLetter(byte) || extra(byte) || (!isFirst && isDigit(byte)) else { return false }
            isFirst = false
        }
        return !isFirst
    }
}
