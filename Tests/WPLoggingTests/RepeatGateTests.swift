// SPDX-License-Identifier: MIT

import Testing
import WPLogging

@Suite struct RepeatGateTests {
    @Test func admitsTheFirstAndThenOnePerInterval() {
        var gate = RepeatGate(interval: .seconds(60))
        let verdicts = stride(from: 0, through: 130, by: 5).map { gate.admit(at: .seconds($0)) }
        let passed = zip(stride(from: 0, through: 130, by: 5), verdicts).filter { $0.1 != nil }
        #expect(passed.map(\.0) == [0, 60, 120])
        #expect(passed.map(\.1) == [0, 11, 11])
    }

    @Test func resetReopensTheGate() {
        var gate = RepeatGate(interval: .seconds(60))
        #expect(gate.reset() == nil)
        #expect(gate.admit(at: .seconds(1)) == 0)
        #expect(gate.admit(at: .seconds(2)) == nil)
        #expect(gate.admit(at: .seconds(3)) == nil)
        #expect(gate.reset() == 2)
        #expect(gate.reset() == nil)
        #expect(gate.admit(at: .seconds(4)) == 0)
        #expect(gate.reset() == 0)
    }

    @Test(arguments: [Duration.zero, .seconds(-5)])
    func neverClosesWithoutAnInterval(_ interval: Duration) {
        var gate = RepeatGate(interval: interval)
        #expect((0..<3).map { gate.admit(at: .seconds($0)) } == [0, 0, 0])
    }
}
