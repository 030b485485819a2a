// SPDX-License-Identifier: MIT

import Testing
import WPModel
import WPStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct EnergyDocumentTests {
    private static func document(_ devices: String...) -> String {
        #"{"format":"winpower-exporter energy export","version":1,"devices":[\#(devices.joined(separator: ","))]}"#
    }

    @Test(arguments: [0, 1, 3]) func documentsRoundTrip(_ devices: Int) throws {
        let records = Records.state(7, devices: devices)
        #expect(try EnergyDocument.decode(try EnergyDocument.encode(records)) == records)
    }

    @Test func theFormatMatchesTheDocument() throws {
        let records = [
            EnergyRecord(
                key: EnergyKey(source: SourceID(rawValue: "east"), device: DeviceID("a/b")),
                total: EnergyTotal(joules: 975, meteredSeconds: 5, gapSeconds: 0.25, unverifiedSeconds: 1.5),
                compensationJoules: 1e-14,
                lastSample: .init(wall: Date(timeIntervalSince1970: 1_750_000_000.25), watts: 195.5),
                name: "Rack 1",
                typeCode: 1
            ),
            EnergyRecord(key: EnergyKey(device: DeviceID("b")), total: EnergyTotal()),
        ]
        let expected = """
            {"format":"winpower-exporter energy export","version":1,"devices":[
            {"compensation_joules":1e-14,"device":"a/b","gap_seconds":0.25,"joules":975,"last_unix_ns":1750000000250000000,\
            "last_watts":195.5,"metered_seconds":5,"name":"Rack 1","source":"east","type_code":1,"unverified_seconds":1.5},
            {"device":"b","gap_seconds":0,"joules":0,"metered_seconds":0}
            ]}

            """
        #expect(String(decoding: try EnergyDocument.encode(records), as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("", "is not an energy export"), ("[]", "is not an energy export"), ("null", "is not an energy export"),
        (#"{"format":"winpower-exporter energy","version":1,"devices":[]}"#, "is not an energy export"),
        (#"{"format":"winpower-exporter energy export","version":0,"devices":[]}"#, "is not an energy export"),
        (#"{"version":1,"devices":[]}"#, "is not an energy export"),
        (#"{"format":"winpower-exporter energy export","version":2}"#, "has version 2, and this program reads up to 1"),
        (#"{"format":"winpower-exporter energy export","version":1}"#, "lacks devices in the document"),
        (document("7"), "has a value of the wrong type for Index 0 in device number 1"),
        (
            document(#"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":0}"#, #"{"device":"b","joules":1}"#),
            "lacks metered_seconds in device number 2"
        ),
        (
            document(#"{"device":"a","joules":"1","metered_seconds":1,"gap_seconds":0}"#),
            "has a value of the wrong type for joules in device number 1"
        ),
        (
            document(
                #"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":0}"#,
                #"{"device":"b","joules":-1,"metered_seconds":1,"gap_seconds":0}"#
            ),
            "is invalid in device number 2: its energy is not a number of joules from 0 to 3.6e18"
        ),
        (
            document(
                #"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":0}"#,
                #"{"device":"a","joules":2,"metered_seconds":1,"gap_seconds":0}"#
            ),
            "repeats a device in device number 2"
        ),
    ])
    func rejectsAnInvalidExport(_ text: String, finding: String) {
        let fault = #expect(throws: EnergyDocument.Fault.self) { try EnergyDocument.decode(Array(text.utf8)) }
        #expect(fault?.description == finding)
    }

    @Test func rejectsInvalidRecords() {
        let record = EnergyRecord(key: EnergyKey(device: DeviceID("a")), total: EnergyTotal(joules: -1))
        #expect(throws: EnergyStoreError.self) { try EnergyDocument.encode([record]) }
    }

    @Test(arguments: [
        (#"{"device":"a","joules":1.7e308,"metered_seconds":1,"gap_seconds":0}"#, "joules from 0 to 3.6e18"),
        (#"{"device":"a","joules":3.7e18,"metered_seconds":1,"gap_seconds":0}"#, "joules from 0 to 3.6e18"),
        (#"{"device":"a","joules":1,"metered_seconds":1e300,"gap_seconds":0}"#, "its metered time"),
        (#"{"device":"","joules":1,"metered_seconds":1,"gap_seconds":0}"#, "its identifier is empty"),
        (#"{"device":"  ","joules":1,"metered_seconds":1,"gap_seconds":0}"#, "its identifier is empty"),
        (#"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":0,"Name":"x"}"#, #"there is no member "Name""#),
    ])
    func rejectsADocumentThatNoExporterWrote(_ device: String, _ reason: String) {
        let fault = #expect(throws: EnergyDocument.Fault.self) {
            try EnergyDocument.decode(Array(Self.document(device).utf8))
        }
        #expect(fault?.description.contains(reason) == true, "\(String(describing: fault))")
    }

    @Test(arguments: [
        (#""zz":1,"b":2,"c":3"#, "b"),
        (#""\#(String(repeating: "x", count: 41))":1"#, String(repeating: "x", count: 40)),
        (#""é\u001b":1"#, "?\u{1B}"),
    ])
    func namesAnUnknownMember(_ members: String, _ name: String) {
        let device = #"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":0,\#(members)}"#
        let fault = #expect(throws: EnergyDocument.Fault.self) {
            try EnergyDocument.decode(Array(Self.document(device).utf8))
        }
        #expect(fault?.description == "cannot be read: there is no member \"\(name)\" in device number 1")
    }

    @Test func rejectsAnUnknownMemberOfTheDocument() {
        let text = #"{"format":"winpower-exporter energy export","version":1,"devices":[],"device":[]}"#
        #expect(throws: EnergyDocument.Fault.self) { try EnergyDocument.decode(Array(text.utf8)) }
    }
}
