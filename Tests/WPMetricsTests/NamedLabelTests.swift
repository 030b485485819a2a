// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// Children selected by label names.
struct NamedLabelTests {
    private let family: CounterFamily

    init() throws {
        family = try Registry().counter(name: "requests_total", help: "", labelNames: ["handler", "code"])
    }

    @Test func namesAndPositionsSelectTheSameChild() throws {
        let child = try family.with("basket", "200")
        #expect(try family.with(["handler": "basket", "code": "200"]) === child)
        #expect(try family.with(["code": "200", "handler": "basket"]) === child)
        #expect(family.count == 1)
    }

    @Test(
        arguments: [
            ([("handler", "a")], "(missing: code)"),
            ([("handler", "a"), ("status", "200")], "(missing: code; unknown: status)"),
            ([("handler", "a"), ("code", "200"), ("zone", "b")], "(unknown: zone)"),
            ([("handler", "a"), ("code", "200"), ("code", "404")], "(repeated: code)"),
            ([], "(missing: handler, code)"),
        ] as [([(String, String)], String)]
    )
    func namesUnknownLabels(_ labels: [(String, String)], _ fault: String) {
        let error = #expect(throws: MetricError.self) {
            switch labels.count {
            case 0: try family.with([:])
            case 1: try family.with([labels[0].0: labels[0].1])
            case 2: try family.with([labels[0].0: labels[0].1, labels[1].0: labels[1].1])
            default:
                try family.with([
                    labels[0].0: labels[0].1, labels[1].0: labels[1].1, labels[2].0: labels[2].1,
                ])
            }
        }
        #expect(error?.code == .labelMismatch)
        #expect(error?.subject == "requests_total")
        #expect(error?.description.hasPrefix("requests_total has the labels handler, code but was given") == true)
        #expect(error?.description.hasSuffix(fault) == true)
        #expect(family.count == 0)
    }

    @Test func createsAndRemovesChildren() throws {
        try family.prepare([["handler": "a", "code": "200"], ["code": "500", "handler": "a"]])
        #expect(family.count == 2)
        #expect(!family.remove(["handler": "a"]))
        #expect(!family.remove(["handler": "b", "code": "200"]))
        #expect(family.remove(["code": "200", "handler": "a"]))
        #expect(family.remove("a", "500"))
        #expect(family.count == 0)
        #expect(throws: MetricError.self) { try family.prepare([["handler": "a"]]) }
    }

    @Test func aFamilyWithoutLabelsRejectsLabels() throws {
        let plain = try Registry().gauge(name: "x", help: "", labelNames: [])
        #expect(try plain.with([:]) === plain.with())
        let error = #expect(throws: MetricError.self) { try plain.with(["a": "1"]) }
        #expect(error?.description == "x has no labels but was given other labels (unknown: a)")
    }
}
