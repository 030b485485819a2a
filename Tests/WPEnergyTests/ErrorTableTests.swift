// SPDX-License-Identifier: MIT

import Testing
import WPEnergy
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Computes the table of errors in docs/energy.md. `RECORD_DOCS=1` rewrites it, and fails.
@Suite struct ErrorTableTests {
    private static let rows: [(name: String, shape: LoadShape, faults: SampleSeries.FaultRates)] =
        LoadShape.allCases.map { ($0.name, $0, .none) } + [
            ("sine, samples up to 2 s early or late", .sine, .init(jitter: 2)),
            ("sine, 1 sample in 20 invalid", .sine, .init(invalid: 0.05)),
            ("sine, outages of up to two minutes", .sine, .init(outage: 0.01)),
            ("sine, 20 or so restarts", .sine, .init(restart: 0.015)),
            ("sine, wall clock set by hours", .sine, .init(wallStep: 0.02)),
            ("random walk, all of these together", .randomWalk, .all),
        ]

    private var table: String {
        var lines = [
            "| load | metered | against the exact trapezoids | against the truth | left rectangles | right rectangles |",
            "|---|---|---|---|---|---|",
        ]
        for row in Self.rows {
            let series = SampleSeries(row.shape, row.faults, seed: 6)
            let expected = series.expectation
            let total = Self.total(of: series)
            let whole =
                row.shape.joules(until: series.samples.last?.seconds ?? 0)
                - row.shape.joules(until: series.samples.first?.seconds ?? 0)
            let exact = abs(expected.joules.relativeError(of: total.joules))
            var cells = [
                row.name,
                "\(Self.fixed(total.meteredSeconds / (total.meteredSeconds + total.gapSeconds) * 100, 1)) %",
                exact < 1e-15 ? "< 1e-15" : "\(exact)",
                Self.percent(total.joules / expected.trueJoules - 1, 4),
            ]
            for rule in RectangleRule.allCases {
                cells.append(Self.percent(rule.wattHours(of: series) * 3600 / whole - 1, 2))
            }
            lines.append("| \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func total(of series: SampleSeries) -> EnergyTotal {
        var accumulator = EnergyAccumulator()
        var process: Int?
        for sample in series.samples {
            if sample.process != process {
                process = sample.process
                accumulator = EnergyAccumulator(resuming: accumulator.record(for: EnergyKey(device: DeviceID("a"))))
            }
            accumulator.add(watts: sample.watts, at: sample.time, maxGap: .seconds(60))
        }
        return accumulator.total
    }

    private static func percent(_ ratio: Double, _ digits: Int) -> String {
        let text = fixed(abs(ratio) * 100, digits)
        let isZero = text.allSatisfy { "0.".contains($0) }
        return "\(isZero ? "" : ratio < 0 ? "−" : "+")\(text) %"
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let text = String(Int((value * scale).rounded()))
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return padded.dropLast(digits) + "." + padded.suffix(digits)
    }

    @Test func theTableInTheDocumentMatchesTheCode() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let url = root.appending(path: "docs/energy.md")
        let document = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let begin = try #require(document.firstRange(of: "<!-- begin: error table -->\n"))
        let end = try #require(document.firstRange(of: "<!-- end: error table -->"))
        let written = String(document[begin.upperBound..<end.lowerBound])
        guard ProcessInfo.processInfo.environment["RECORD_DOCS"] != "1" else {
            let updated = document[..<begin.upperBound] + table + document[end.lowerBound...]
            try Data(updated.utf8).write(to: url)
            Issue.record("recorded the table in docs/energy.md; review it and run again without RECORD_DOCS")
            return
        }
        #expect(written == table)
    }

    @Test func errorsStayWithinTheirTargets() {
        for row in Self.rows {
            let series = SampleSeries(row.shape, row.faults, seed: 6)
            let expected = series.expectation
            let total = Self.total(of: series)
            #expect(abs(expected.joules.relativeError(of: total.joules)) < 1e-12, "\(row.name)")
            if row.shape == .sine {
                #expect(abs(total.joules / expected.trueJoules - 1) < 0.001, "\(row.name)")
            }
        }
    }
}
