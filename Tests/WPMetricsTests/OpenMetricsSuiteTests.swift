// SPDX-License-Identifier: MIT

import Testing
import WPMetrics
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parser cases of the public OpenMetrics test suite.
struct OpenMetricsSuiteTests {
    private struct Expectation: Decodable {
        let shouldParse: Bool
    }

    @Test(.enabled(if: PublicSuites.shouldRun("openmetrics/parsers"), "needs ../shared/suites/openmetrics/parsers"))
    func acceptsAndRejectsAsTheSuiteExpects() throws {
        let folder = try PublicSuites.folder("openmetrics/parsers")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        var wrong: [String] = []
        for name in names {
            let expectation = try JSONDecoder().decode(
                Expectation.self,
                from: try Data(contentsOf: URL(filePath: "\(folder)/\(name)/test.json"))
            )
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)/metrics")))
            do {
                let families = try ExpositionFormat.openMetrics.parse(bytes)
                if !expectation.shouldParse { wrong.append("\(name) was accepted") }
                // Parsed expositions round-trip.
                let again = try ExpositionFormat.openMetrics.parse(OpenMetricsFormat.encode(families))
                let written = families.filter { !$0.metrics.isEmpty }
                if canonical(again) != canonical(written) { wrong.append("\(name) was not read back") }
            } catch {
                if expectation.shouldParse { wrong.append("\(name) was rejected: \(error)") }
            }
        }
        #expect(names.count >= 180)
        #expect(wrong.isEmpty)
    }
}
