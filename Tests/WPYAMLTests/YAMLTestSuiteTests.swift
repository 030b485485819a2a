// SPDX-License-Identifier: MIT

import Testing
import WPYAML
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parser against the public yaml-test-suite: a document is either rejected or matches its `in.json`.
@Suite struct YAMLTestSuiteTests {
    /// The counts that docs/modules/WPYAML.md publishes.
    static let acceptedAtLeast = 229
    static let errorsRejected = 94

    @Test(.enabled(if: PublicSuites.shouldRun("yaml"), "needs ../shared/suites/yaml"))
    func parsesACaseAsItsJSONOrRejectsIt() throws {
        let folder = try PublicSuites.folder("yaml")
        var accepted = 0
        var rejected: [String] = []
        var wrong: [String] = []
        var errorsRejected = 0
        var errorsAccepted: [String] = []
        var withJSON = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let path = "\(folder)/\(name)"
            guard let input = bytes("\(path)/in.yaml") else { continue }
            let result = Result { () throws(YAMLFault) in try YAMLReader.parse(input) }
            if bytes("\(path)/error") != nil {
                switch result {
                case .success: errorsAccepted.append(name)
                case .failure: errorsRejected += 1
                }
                continue
            }
            guard let json = bytes("\(path)/in.json") else { continue }
            withJSON += 1
            switch result {
            case .failure(let fault):
                rejected.append("\(name) \(fault)")
            case .success(let node):
                let text = String(decoding: json, as: UTF8.self)
                if Self.agrees(node, text) {
                    accepted += 1
                } else {
                    wrong.append(name)
                }
            }
        }
        print(
            "yaml-test-suite: \(accepted) of \(withJSON) with JSON read, \(rejected.count) rejected, \(wrong.count) wrong;"
        )
        print("yaml-test-suite: \(errorsRejected) errors rejected, \(errorsAccepted.count) accepted")
        print(rejected.joined(separator: "\n"))
        #expect(wrong == [])
        #expect(errorsAccepted == [])
        #expect(errorsRejected >= Self.errorsRejected)
        #expect(accepted >= Self.acceptedAtLeast)
    }

    private static func agrees(_ node: YAMLNode?, _ json: String) -> Bool {
        guard let node else { return json.allSatisfy(\.isWhitespace) }
        guard let expected = try? JSONValue(parsing: json), let value = JSONValue(node) else { return false }
        return value == expected
    }

    private func bytes(_ path: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: path))).map { [UInt8]($0) }
    }
}
