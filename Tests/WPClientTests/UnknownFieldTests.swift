// SPDX-License-Identifier: MIT

import Testing
@testable import WPClient
import WPCore
import WPLogging
import WPModel
import WPTestKit

@Suite("Unknown fields")
struct UnknownFieldTests {
    private func page(_ body: String, hiding secrets: [Secret] = []) throws -> DevicePage {
        try ReplyDecoder(hiding: secrets).devicePage(Array(body.utf8), time: TestClock().timeSource.now)
    }

    @Test func areRecordedAsStringsWithTheirObject() throws {
        let page = try page(
            Samples.list(
                Samples.device(
                    realtime:
                        #""outputPowerFactor": "0.98", "newCode": 7, "newFlag": true, "newList": [1], "newText": """#,
                    config: #""bypassVolt": 230.5, "ratingBatUnitNumber": "6""#,
                    more: #", "rack": "R2", "location": {"room": "B"}"#
                ),
                #"{"assetDevice": {"id": "e", "serial": "S1", "comPort": "COM3"}}"#
            )
        )
        #expect(
            page.readings.map(\.unknownFields) == [
                [
                    "realtime.outputPowerFactor": "0.98", "realtime.newCode": "7", "realtime.newFlag": "true",
                    "config.bypassVolt": "230.5", "rack": "R2",
                ],
                ["assetDevice.serial": "S1"],
            ]
        )
        #expect(
            page.unknownFields == [
                "realtime.outputPowerFactor", "realtime.newCode", "realtime.newFlag", "realtime.newList",
                "realtime.newText", "config.bypassVolt", "rack", "location", "assetDevice.serial",
            ]
        )
    }

    @Test func knownServersSendNoUnknownFields() throws {
        let page = try page(Samples.deviceList)
        #expect(page.unknownFields.isEmpty)
        #expect(page.readings.map(\.unknownFields) == [[:]])
    }

    @Test func areRecognizedWithEscapedNames() throws {
        let page = try page(Samples.list(Samples.device(realtime: #""n\u0065w": "1", "load\u0054otalWatt": "2""#)))
        #expect(page.readings.first?.unknownFields == ["realtime.new": "1"])
        #expect(page.readings.first?.load.watts == 2)
    }

    @Test func areLimitedInNumberAndSize() throws {
        let many = (0..<2000).map { #""field\#($0)": "\#(String(repeating: "x", count: 500))""# }
        let long = String(repeating: "n", count: 500)
        let page = try page(Samples.list(Samples.device(realtime: #""\#(long)": 1, \#(many.joined(separator: ","))"#)))
        let reading = try #require(page.readings.first)
        #expect(reading.unknownFields.count == 64)
        #expect(reading.unknownFields.values.allSatisfy { $0.utf8.count == 256 })
        #expect(page.unknownFields.count == 256)
        #expect(page.unknownFields.allSatisfy { $0.utf8.count <= 128 })
    }

    @Test func areLimitedPerPage() throws {
        let devices = (0..<500).map { #"{"assetDevice":{"id":"\#($0)"},"realtime":{"a\#($0)":"1","b\#($0)":"2"}}"# }
        let page = try page(#"{"code":"000000","total":500,"data":[\#(devices.joined(separator: ","))]}"#)
        #expect((256..<512).contains(page.unknownFields.count))
        #expect(page.readings.allSatisfy { $0.unknownFields.count == 2 })
    }

    @Test func areSanitizedBeforeLogging() throws {
        let element = Samples.device(realtime: #""hunter2": "it is hunter2", "a\u001b[31m": "\u0007""#)
        let page = try page(Samples.list(element), hiding: [Secret("hunter2")])
        #expect(page.unknownFields == ["realtime.<REDACTED>", "realtime.a [31m"])
        #expect(
            page.readings.first?.unknownFields == [
                "realtime.<REDACTED>": "it is <REDACTED>", "realtime.a [31m": " ",
            ]
        )
    }

    @Test func areLoggedOnceAtDebug() async throws {
        let bench = Bench()
        let known = Samples.device(realtime: #""loadTotalWatt": "1""#)
        let unknown = Samples.device(realtime: #""b": "1", "a": 2"#)
        bench.transport.onDevices(.reply(Samples.list(known, unknown, unknown)))
        for _ in 0..<3 { _ = try await bench.client.readDevices() }
        bench.transport.onDevices(.reply(Samples.list(unknown, Samples.device(config: #""c": 3"#))))
        for _ in 0..<3 { _ = try await bench.client.readDevices() }
        let records = bench.logs.records.filter { $0.message == "Fields that this version does not know" }
        #expect(records.map(\.level) == [.debug, .debug])
        #expect(records.map { $0.fields["fields"] } == ["realtime.a, realtime.b", "config.c"])
        #expect(records.map { $0.fields["count"] } == [2, 1])
    }

    @Test func areNotLoggedWithoutLimit() async throws {
        let bench = Bench()
        for round in 0..<20 {
            let fields = (0..<100).map { #""f\#(round)-\#($0)": 1"# }.joined(separator: ",")
            bench.transport.onDevices(.reply(Samples.list(Samples.device(realtime: fields))))
            _ = try await bench.client.readDevices()
        }
        let records = bench.logs.records.filter { $0.message == "Fields that this version does not know" }
        #expect(records.map { $0.fields["count"] } == Array(repeating: 100, count: 10))
        for record in records {
            guard case .string(let names) = record.fields["fields"] else {
                Issue.record("the names are not a string")
                continue
            }
            #expect(names.split(separator: ",").count == 50)
        }
    }
}
