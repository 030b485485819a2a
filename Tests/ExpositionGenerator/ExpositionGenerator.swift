// SPDX-License-Identifier: MIT

import Fixtures
import WPMetrics
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes generated expositions and their samples as one JSON object per line, to check a parser in another
/// language: `wp-exposition-generator SEED COUNT`. The samples come from the families, not from the text.
@main
enum ExpositionGenerator {
    private struct Case: Encodable {
        let format: String
        let exposition: Data
        let samples: [ExpectedSample]
    }

    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        guard numbers.count == 2 else { throw UsageError() }
        let encoder = JSONEncoder()
        for syntax in ExpositionFormat.Syntax.allCases {
            let isOpenMetrics = syntax == .openMetrics
            var arbitrary = ArbitraryFamilies(
                generator: SeededGenerator(seed: numbers[0]),
                isOpenMetrics: isOpenMetrics,
                avoidsPrometheusClientBugs: true
            )
            for _ in 0..<numbers[1] {
                let families = try arbitrary.families()
                let line = Case(
                    format: isOpenMetrics ? "openmetrics" : "text",
                    exposition: Data(ExpositionFormat(syntax).encode(families)),
                    samples: families.flatMap { ExpectedSample.samples(of: $0, isOpenMetrics: isOpenMetrics) }
                )
                print(String(decoding: try encoder.encode(line), as: UTF8.self))
            }
        }
    }

    private struct UsageError: Error, CustomStringConvertible {
        let description = "usage: wp-exposition-generator SEED COUNT"
    }
}
