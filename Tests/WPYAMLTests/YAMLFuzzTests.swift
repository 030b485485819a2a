// SPDX-License-Identifier: MIT

import Testing
import WPTestKit
import WPTestSupport
import WPYAML

/// Mutated documents: the parser returns a tree within its limits or a fault with a position, and never traps.
@Suite struct YAMLFuzzTests {
    private static let seeds = [
        """
        # A configuration.
        server:
          # The address to listen on
          host: 0.0.0.0
          port: 9090
          auth:
            # username: prometheus
            password_hash: "$2b$10$abc"
        winpower:
          base_url: https://winpower.example.com
          levels: [a, 'b', "c"]

        """,
        "%YAML 1.2\n---\na: &x [1, {b: 'c''d', \"e\": f}]\ng: *x\nh: |2-\n    i\n  j\nk: >+\n  l\n\n  m\n...\n",
        "- - a: 1\n    b:\n    - c\n    -   d: e\n- !!str \"\\x41\\u00e9\\\n   f\"\n- ? g\n",
        "é: ü\r\nx:\t# c\n  y  \n\n  z\n{a, b: [c: d,], ? e}\n",
    ]
    private static let fragments = [
        "\n", " ", "  ", "\t", ":", ": ", "- ", "?", "#", " #", "[", "]", "{", "}", ",", "&a ", "*a", "!", "!!map ",
        "|", ">-", "'",
        "\"", "\\", "\\x", "---", "...", "\n---\n", "%", "\r", "\u{85}", "\u{0}", "é", "0", "<<",
    ].map { Array($0.utf8) }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func neverTrapsAndReportsPositionsWithinTheDocument(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var bytes = Array(Self.seeds[Int(generator.next() % UInt64(Self.seeds.count))].utf8)
            for _ in 0...(generator.next() % 6) { Self.mutate(&bytes, &generator) }
            Self.check(bytes)
        }
    }

    @Test func parsesDeepLongAndWideDocumentsInLinearTime() {
        let size = 40_000
        let units = [
            "[", "{a: ", "- ", "a", "a: ", "\n", " ", "\t", "é", "'", "\"", "#", "&a ", "[]", ",", "a,", "\\", "? ",
            "!", "a\n", "- \n",
        ]
        for unit in units {
            let repeated = String(repeating: unit, count: size / unit.utf8.count)
            for text in [repeated, "a: " + repeated, "[" + repeated, "\"" + repeated, "- |\n " + repeated] {
                Self.check(Array(text.utf8))
            }
        }
    }

    private static func check(_ bytes: [UInt8]) {
        do {
            let limits = YAMLLimits()
            guard let node = try YAMLReader.parse(bytes, limits: limits) else { return }
            #expect(count(node) <= limits.nodes)
            #expect(try YAMLReader.parse(bytes, limits: limits) == node)
        } catch {
            let lines = bytes.filter { $0 == 0x0A || $0 == 0x0D }.count + 2
            #expect(error.position.line >= 1 && error.position.line <= lines)
            #expect(error.position.column >= 1 && error.position.column <= bytes.count + 1)
            #expect(!error.message.isEmpty)
        }
    }

    private static func count(_ node: YAMLNode) -> Int {
        switch node.content {
        case .scalar: 1
        case .sequence(let items): items.reduce(1) { $0 + count($1) }
        case .mapping(let entries): entries.reduce(1) { $0 + 1 + count($1.value) }
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let index = Int(generator.next() % UInt64(bytes.count + 1))
        switch generator.next() % 5 {
        case 0:
            bytes.insert(contentsOf: fragments[Int(generator.next() % UInt64(fragments.count))], at: index)
        case 1:
            bytes.removeSubrange(index..<min(bytes.count, index + Int(generator.next() % 8)))
        case 2:
            bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: index)
        case 3:
            bytes.removeSubrange(index...)
            if bytes.isEmpty { bytes = [0x61] }
        default:
            let end = min(bytes.count, index + Int(generator.next() % 40))
            bytes.insert(contentsOf: bytes[index..<end], at: Int(generator.next() % UInt64(bytes.count + 1)))
        }
    }
}
