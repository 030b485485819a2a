// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds the public suites that lie beside the checkout (`../shared/suites`). They are never copied into it.
public enum PublicSuites {
    /// The path of a suite's folder; nil when it is not there, which outside CI is fine: the test says that it was
    /// skipped. In CI (`CI=true`) its absence is an error.
    /// - Parameter name: the folder below `suites`, such as `yaml` or `json/test_parsing`.
    /// - Throws: ``Missing`` in CI when the folder is not there.
    public static func folder(_ name: String) throws -> String? {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.deletingLastPathComponent().appending(path: "shared/suites/\(name)").path
        if FileManager.default.fileExists(atPath: path) { return path }
        if ProcessInfo.processInfo.environment["CI"] != nil { throw Missing(path: path) }
        print("skipped: no public suite at \(path)")
        return nil
    }

    /// A suite that must be there is not.
    public struct Missing: Error, CustomStringConvertible {
        /// Where it should be.
        public let path: String
        /// Says what is missing.
        public var description: String { "CI needs the public suite at \(path)" }
    }
}
