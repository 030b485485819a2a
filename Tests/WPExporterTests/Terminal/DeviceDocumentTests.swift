// SPDX-License-Identifier: MIT

import Testing
import WPExporter
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct DeviceDocumentTests {
    private func json(_ document: DeviceDocument) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    @Test func hasStableKeys() throws {
        let document = DeviceDocument(
            server: "https://ups:8081",
            time: SampleFleet.time(2),
            readings: SampleFleet.readings
        )
        try Snapshot.expect(try json(document), is: "devices.json")
    }

    @Test func containsEnergyAndFailureOfAWatch() throws {
        try Snapshot.expect(try json(WatchViewTests.outage.document(at: SampleFleet.time(30))), is: "watch.json")
    }

    @Test func encodesAnEmptyFleet() throws {
        let text = try json(DeviceDocument(server: "x", time: SampleFleet.time(0), readings: []))
        #expect(text.filter { !$0.isWhitespace }.hasPrefix(#"{"devices":[],"format":"winpower-exporterdevices""#))
    }
}
