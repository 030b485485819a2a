// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds the public test suites next to the checkout (`../shared/suites`). They are never copied into it.
///
/// A test that needs a missing suite is disabled, which the run reports. With `WP_REQUIRE_SUITES`, as set by the gate,
/// the test runs and fails.
package enum PublicSuites {
    /// Whether a test that needs this suite runs: the suite exists or is required.
    /// - Parameter name: the folder below `suites`, such as `yaml` or `json/test_parsing`.
    package static func shouldRun(_ name: String) -> Bool {
        isRequired || FileManager.default.fileExists(atPath: path(name))
    }

    /// The path of a suite's folder.
    /// - Parameter name: the folder below `suites`, such as `yaml` or `json/test_parsing`.
    /// - Throws: ``Missing`` if the directory does not exist.
    package static func folder(_ name: String) throws -> String {
        let path = path(name)
        guard FileManager.default.fileExists(atPath: path) else { throw Missing(path: path) }
        return path
    }

    private static var isRequired: Bool {
        let value = ProcessInfo.processInfo.environment["WP_REQUIRE_SUITES"] ?? ""
        return !value.isEmpty && value != "0"
    }

    private static func path(_ name: String) -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return root.deletingLastPathComponent().appending(path: "shared/suites/\(name)").path
    }

    /// A required suite does not exist.
    package struct Missing: Error, CustomStringConvertible {
        /// Its expected path.
        package let path: String
        /// Names the missing suite.
        package var description: String { "WP_REQUIRE_SUITES is set, and there is no public suite at \(path)" }
    }
}
