// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// The naming conventions.
struct MetricLinterTests {
    typealias Rule = LintProblem.Rule

    @Test(
        arguments: [
            // No problems.
            ("x_seconds", .gauge, []), ("x_joules_total", .counter, []), ("x_bytes", .histogram, []),
            ("x_celsius", .unknown, []), ("x_amperes", .gauge, []), ("x_volts", .gauge, []), ("x_watts", .gauge, []),
            ("x_ratio", .gauge, []), ("x_load_percent", .gauge, []), ("x_info", .info, []), ("x_total", .unknown, []),
            ("up", .gauge, []), ("gauge", .gauge, []), ("s", .gauge, []),
            // Base units.
            ("x_milliamperes", .gauge, [.baseUnit]), ("x_gigabytes_total", .counter, [.baseUnit]),
            ("x_kilograms", .gauge, [.baseUnit]), ("x_minutes", .gauge, [.baseUnit]), ("x_hours", .gauge, [.baseUnit]),
            ("x_fahrenheit", .gauge, [.baseUnit]), ("x_bits", .gauge, [.baseUnit]),
            ("x_days_left", .gauge, [.baseUnit]),
            ("x_ms", .gauge, [.abbreviatedUnit]), ("x_kb_free", .gauge, [.abbreviatedUnit]),
            // Suffixes.
            ("x_seconds", .counter, [.totalSuffix]), ("x_total", .gauge, [.totalSuffix]),
            ("x_count", .gauge, [.reservedSuffix]), ("x_sum", .stateSet, [.reservedSuffix]),
            ("x_bucket", .summary, [.reservedSuffix]), ("x_count", .unknown, []),
            // Names.
            ("x:y", .gauge, [.nameStyle]), ("xyzAbc", .gauge, [.nameStyle]), ("x_gauge", .gauge, [.typeInName]),
            ("x_HISTOGRAM", .histogram, [.typeInName]), ("x_counter_y_total", .counter, [.typeInName]),
        ] as [(String, MetricType, [Rule])]
    )
    func checksNames(_ name: String, _ type: MetricType, _ rules: [Rule]) throws {
        let problems = MetricLinter.lint(descriptors: [try MetricDescriptor(name: name, help: "Help.", type: type)])
        #expect(problems.map(\.rule) == rules)
        #expect(problems.allSatisfy { $0.family == name && $0.description.hasPrefix("\(name): ") })
    }

    @Test(
        arguments: [
            (["device_id"], .gauge, []), (["le"], .gauge, [.reservedLabel]),
            (["quantile"], .histogram, [.reservedLabel]),
            (["le"], .unknown, []), (["deviceId"], .gauge, [.labelStyle]), (["type"], .gauge, [.labelStyle]),
        ] as [([String], MetricType, [Rule])]
    )
    func checksLabels(_ labels: [String], _ type: MetricType, _ rules: [Rule]) throws {
        let descriptor = try MetricDescriptor(name: "x", help: "Help.", type: type, labelNames: labels)
        #expect(MetricLinter.lint(descriptors: [descriptor]).map(\.rule) == rules)
        let free = try MetricDescriptor(name: "x", help: "Help.", type: type)
        let set = try LabelSet(labels.map { Label($0, "") })
        let family = MetricFamily(free, [Metric(labels: set, value: 1), Metric(labels: set, value: 1)])
        #expect(MetricLinter.lint([family]).map(\.rule) == rules)
    }

    @Test func requiresHelp() throws {
        let problems = MetricLinter.lint(descriptors: [try MetricDescriptor(name: "x", help: "", type: .gauge)])
        #expect(problems.map(\.rule) == [.help])
    }

    @Test func findsAllProblemsOfAFamily() throws {
        let problems = MetricLinter.lint(descriptors: [
            try MetricDescriptor(name: "xY:_gauge_ms_count", help: "", type: .gauge)
        ])
        #expect(
            problems.map(\.rule) == [
                .help, .nameStyle, .nameStyle, .typeInName, .abbreviatedUnit, .reservedSuffix,
            ]
        )
    }

    /// The program's own metrics pass.
    @Test func acceptsTheStandardCollectors() throws {
        let build = try BuildInfoCollector(program: "x", version: "", revision: "", swiftVersion: "")
        #expect(MetricLinter.lint(descriptors: ProcessCollector().descriptors + build.descriptors).isEmpty)
    }
}
