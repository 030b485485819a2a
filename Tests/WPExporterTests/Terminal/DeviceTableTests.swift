// SPDX-License-Identifier: MIT

import Testing
import WPExporter
import WPModel
import WPTerminal
import WPTestKit

@Suite struct DeviceTableTests {
    @Test(arguments: [60, 80, 120, 200])
    func fitsATerminal(_ width: Int) throws {
        try Snapshot.expect(
            DeviceTable(SampleFleet.readings).lines(width: width),
            is: "devices-\(width).txt",
            width: width
        )
    }

    @Test func isNotTruncatedWithoutAWidth() throws {
        let lines = DeviceTable(SampleFleet.readings).lines(width: nil)
        try Snapshot.expect(lines, is: "devices-full.txt", width: nil)
        for line in lines {
            // Columns can be split at two or more spaces.
            #expect(Self.fields(line.text).count == 13, "\(line.text)")
        }
    }

    @Test func removesConsecutiveSpacesFromCells() {
        let reading = DeviceReading.sample(id: " a  b ", alias: " x\t\n  y ", time: SampleFleet.time(0))
        let fields = Self.fields(DeviceTable([reading]).lines(width: nil)[1].text)
        #expect(fields.count == 13)
        #expect(fields.first == "x y" && fields.last == "a b")
    }

    @Test func marksTruncatedTextWithAvailableGlyphs() {
        let text = DeviceTable(SampleFleet.readings).lines(width: 60, glyphs: .ascii).map(\.text).joined()
        #expect(text.contains("~") && !text.contains("…"))
    }

    private static func fields(_ line: String) -> [String] {
        line.replacing("  ", with: "\t").split(separator: "\t").map { $0.trimmingPrefix(" ") }.filter { !$0.isEmpty }
            .map(String.init)
    }
}

@Suite struct DeviceConditionTests {
    @Test func detectsConditionsThatNeedAttention() {
        #expect(
            SampleFleet.readings.map { DeviceCondition($0) } == [
                .good, .attention, .trouble, .trouble, .good, .attention,
            ]
        )
        #expect(DeviceCondition.good < .attention && .attention < DeviceCondition.trouble)
    }

    @Test(
        arguments: [
            (0, .good), (1, .attention), (2, .attention), (3, .good), (4, .attention), (5, .attention), (6, .trouble),
            (7, .attention),
        ] as [(Int, DeviceCondition)]
    )
    func followsTheMode(_ code: Int, _ condition: DeviceCondition) {
        var reading = DeviceReading.sample(time: SampleFleet.time(0))
        reading.mode = OperatingMode(code: code)
        #expect(DeviceCondition(reading) == condition)
    }
}
