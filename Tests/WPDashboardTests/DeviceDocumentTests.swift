// SPDX-License-Identifier: MIT

import Testing
import WPDashboard
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
        let document = DeviceDocument(server: "https://ups:8081", time: Fleet.time(2), readings: Fleet.readings)
        try Snapshot.expect(try json(document), is: "devices.json")
    }

    @Test func ofAWatchHoldsEnergyAndFailure() throws {
        try Snapshot.expect(try json(WatchViewTests.outage.document(at: Fleet.time(30))), is: "watch.json")
    }

    @Test func ofNoDevicesIsADocumentAllTheSame() throws {
        let text = try json(DeviceDocument(server: "x", time: Fleet.time(0), readings: []))
        #expect(text.filter { !$0.isWhitespace }.hasPrefix(#"{"devices":[],"format":"winpower-exporterdevices""#))
    }
}
