// SPDX-License-Identifier: MIT

import Testing
@testable import WPClient
import WPCore
import WPModel
import WPTestKit
import WPTestSupport

@Suite("Damaged replies")
struct ReplyFuzzTests {
    private static let spices: [[UInt8]] =
        [
            "null", "{}", "[]", "\"\"", "-1", "1e999", "true", "\"NaN\"", ",", ":", "\"", "\\", "\\ud800", "[[[[",
            "000000",
            "9223372036854775808", "\u{0}", "é",
        ].map { Array($0.utf8) } + [[0xFF], [0xED, 0xA0, 0x80]]

    private func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, position + Int.random(in: 1...24, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(position..<end)
            case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
            case 3: bytes.replaceSubrange(position..<end, with: Self.spices.randomElement(using: &random) ?? [])
            default: bytes.insert(contentsOf: Self.spices.randomElement(using: &random) ?? [], at: position)
            }
        }
        return bytes
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func neitherTrapNorProduceImpossibleValues(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let original = Array(Samples.deviceList.utf8)
        let time = TestClock().timeSource.now
        let decoder = ReplyDecoder()
        var accepted = 0
        for _ in 0..<1_500 {
            guard let page = try? decoder.devicePage(mutated(original, &random), time: time) else { continue }
            accepted += 1
            for reading in page.readings {
                #expect(!reading.device.id.rawValue.isEmpty)
                let quantities = [
                    reading.input.volts, reading.output.volts, reading.load.watts, reading.load.percent,
                    reading.battery.volts, reading.battery.runtimeSeconds,
                ]
                #expect(quantities.allSatisfy { $0.map { $0.isFinite && $0 >= 0 } ?? true })
            }
        }
        // The mutations must produce both results, or the test covers only one.
        #expect(accepted > 10)
        #expect(accepted < 1_500)
    }
}
