// SPDX-License-Identifier: MIT

import Testing
@testable import WPClient
import WPCore
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Decoding of device lists")
struct DeviceDecodingTests {
    private static let time = TestClock().timeSource.now

    private func page(_ body: String) throws -> DevicePage {
        try ReplyDecoder().devicePage(Array(body.utf8), time: Self.time)
    }

    /// The only device of a list with this element.
    private func reading(_ element: String) throws -> DeviceReading {
        try #require(try page(Samples.list(element)).readings.first)
    }

    private func reading(realtime: String) throws -> DeviceReading {
        try reading(Samples.device(realtime: realtime))
    }

    @Test func decodesACapturedReply() throws {
        let page = try page(Samples.deviceList)
        #expect(page.total == 1)
        #expect(page.skipped == 0)
        try #require(page.readings.count == 1)
        let reading = page.readings[0]
        var device = reading.device
        device.rating = Device.Rating()
        #expect(
            device
                == Device(
                    id: DeviceID("e156e6cb-41cb-4b35-b0dd-869929186a5c"),
                    alias: "C3K",
                    typeCode: 1,
                    model: "ON-LINE",
                    firmwareVersion: "03.09",
                    protocolID: 13,
                    areaID: "00000000-0000-0000-0000-000000000000",
                    isActive: true,
                    inputPhaseCount: 1,
                    outputPhaseCount: 1
                )
        )
        #expect(reading.time == Self.time && reading.isConnected == true && reading.mode?.state == .line)
        #expect(reading.load == .init(percent: 6, watts: 195, voltAmperes: 198))
        #expect(reading.battery.isCharging == true && reading.battery.volts == 81.4 && reading.battery.statusCode == 2)
        #expect(reading.phases.isEmpty && reading.faultCode == nil && reading.alarms.isEmpty)
        #expect(reading.unknownFields.isEmpty)
    }

    @Test func decodesEveryQuantityOfACapturedReply() throws {
        struct Reply: Decodable {
            struct Record: Decodable {
                var connected: Bool
                var realtime, config: [String: String]
            }

            var data: [Record]
        }
        let reading = try #require(try page(Samples.deviceList).readings.first)
        let record = try #require(try JSONDecoder().decode(Reply.self, from: Data(Samples.deviceList.utf8)).data.first)
        for quantity in UPSQuantity.all {
            guard let field = quantity.field else { continue }
            let text: String? =
                switch quantity.part {
                case .realtime: record.realtime[field]
                case .config: record.config[field]
                case .record: field == "connected" && record.connected ? "1" : nil
                }
            #expect(quantity.value(of: reading) == text.flatMap(Double.init), "\(field)")
        }
    }

    @Test(
        arguments: [
            (#""195""#, 195), ("195", 195), (#""195.5""#, 195.5), ("1.955e2", 195.5), (#"" 195 ""#, 195),
            (#""0""#, 0), ("0", 0), (#""1e3""#, 1000),
        ] as [(String, Double)]
    )
    func acceptsNumbersAndNumericStrings(text: String, value: Double) throws {
        #expect(try reading(realtime: #""loadTotalWatt": \#(text)"#).load.watts == value)
    }

    @Test(
        arguments: [
            "null", #""""#, #"" ""#, #""--""#, #""NaN""#, #""nan""#, #""inf""#, #""-Infinity""#, #""1e999""#, "1e999",
            "-1", #""-1""#, "-0.5", "true", "false", "[]", "[195]", "{}", #"{"value":"195"}"#, #""0x10""#, #""0x1p3""#,
            #""195 W""#, #""1,5""#, #""1.2.3""#, #""١٩٥""#, #""\ud800""#, #""\u0000""#,
        ]
    )
    func omitsInvalidMeasurements(text: String) throws {
        let reading = try reading(realtime: #""loadTotalWatt": \#(text), "loadTotalVa": "198""#)
        #expect(reading.load.watts == nil)
        #expect(reading.load.voltAmperes == 198)
        #expect(try self.reading(realtime: #""mode": \#(text), "status": "1""#).mode == nil)
    }

    @Test func acceptsNumbersOfUpTo64Characters() throws {
        let zeros = String(repeating: "0", count: 61)
        #expect(try reading(realtime: #""loadTotalWatt": "\#(zeros)195""#).load.watts == 195.0)
        #expect(try reading(realtime: #""loadTotalWatt": "\#(zeros)0195""#).load.watts == nil)
    }

    @Test func parsesNumericStringsLikeDouble() throws {
        var texts = [
            "0.1", "123456789012345", "1234567890123456", "0.000000000000001", "12345678.9012345", "4.35", "007",
        ]
        texts += (0..<500).map { String(Double($0) * 0.37) } + (0..<500).map { "\($0).\(999 - $0)" }
        for text in texts {
            #expect(try reading(realtime: #""loadTotalWatt": "\#(text)""#).load.watts == Double(text), "\(text)")
        }
    }

    @Test func rejectsANumberOfAThousandDigits() throws {
        let digits = String(repeating: "9", count: 1000)
        #expect(try reading(realtime: #""loadTotalWatt": "\#(digits)""#).load.watts == nil)
        #expect(try reading(realtime: #""loadTotalWatt": \#(digits)"#).load.watts == nil)
    }

    @Test func onlyTheTemperatureCanBeNegative() throws {
        #expect(try reading(realtime: #""upsTemperature": "-12.5""#).temperatureCelsius == -12.5)
        #expect(try reading(realtime: #""upsTemperature": -12.5"#).temperatureCelsius == -12.5)
        let fields = [
            "inputVolt1", "inputFreq", "outputVolt1", "outputCurrent1", "outputFreq", "loadPercent", "loadTotalWatt",
            "loadTotalVa", "batCapacity", "batRemainTime", "batVoltP", "mode", "status", "testStatus", "batteryStatus",
        ]
        let realtime = fields.map { #""\#($0)": "-1""# }.joined(separator: ",")
        #expect(try reading(realtime: realtime) == reading(realtime: ""))
    }

    @Test func removesTheSignOfNegativeZero() throws {
        let watts = try #require(try reading(realtime: #""loadTotalWatt": "-0.0""#).load.watts)
        #expect(watts.description == "0.0")
    }

    @Test(
        arguments: [
            (#""1""#, true), (#""0""#, false), ("true", true), ("false", false), ("1", true), ("0", false),
            (#""true""#, true), (#""False""#, false), (#""2""#, nil), (#""""#, nil), ("null", nil), ("-1", nil),
            (#""yes""#, true), (#"" False ""#, false), (#""off""#, false), ("[]", nil),
        ] as [(String, Bool?)]
    )
    func acceptsFlagsInEachNotation(text: String, value: Bool?) throws {
        #expect(try reading(realtime: #""isCharging": \#(text)"#).battery.isCharging == value)
    }

    /// The power of a device is metered only while it is known to be connected.
    @Test(
        arguments: [
            ("true", true), ("1", true), (#""1""#, true), (#"" true ""#, true), (#""Yes""#, true), ("false", false),
            (#"" false ""#, false), (#""no""#, false), ("2", false), (#""2""#, false), (#""offline""#, false),
            ("[]", false), ("{}", false), ("-1", false), ("null", nil), (#""""#, nil), (#""  ""#, nil),
        ] as [(String, Bool?)]
    )
    func treatsAnUnknownConnectedValueAsDisconnected(text: String, value: Bool?) throws {
        #expect(try reading(Samples.device(more: #","connected": \#(text)"#)).isConnected == value)
        #expect(try reading(Samples.device()).isConnected == nil)
    }

    @Test(
        arguments: [
            (#""3""#, 3), ("3", 3), ("3.0", 3), (#""3.0""#, 3), ("99", 99), (#""3.5""#, nil), ("3.5", nil),
            ("1e30", nil), (#""9223372036854775808""#, nil),
        ] as [(String, Int?)]
    )
    func acceptsOnlyWholeCodesInRange(text: String, value: Int?) throws {
        let reading = try reading(realtime: #""mode": \#(text), "batteryStatus": \#(text)"#)
        #expect(reading.mode?.code == value)
        #expect(reading.battery.statusCode == value)
    }

    @Test func acceptsADeviceWithOnlyAnID() throws {
        for element in [
            #"{"assetDevice":{"id":"d"}}"#,
            #"{"assetDevice":{"id":"d"},"realtime":null,"config":null,"activeAlarms":null,"connected":null}"#,
            #"{"assetDevice":{"id":"d"},"realtime":[],"config":"x","activeAlarms":{},"connected":""}"#,
            #"{"assetDevice":{"id":"d","alias":null,"model":"","deviceType":"UPS","areaId":{}},"realtime":7}"#,
        ] {
            #expect(try reading(element) == DeviceReading(device: Device(id: DeviceID("d")), time: Self.time))
        }
    }

    @Test func acceptsANumericIDWithAllDigits() throws {
        #expect(try reading(#"{"assetDevice":{"id":9007199254740993}}"#).device.id == DeviceID("9007199254740993"))
        #expect(try reading(#"{"assetDevice":{"id":17}}"#).device.id == DeviceID("17"))
        #expect(try reading(#"{"assetDevice":{"id":17.0}}"#).device.id == DeviceID("17"))
        let largest = "18446744073709551615"
        #expect(try reading(#"{"assetDevice":{"id":\#(largest)}}"#).device.id == DeviceID(largest))
    }

    @Test func distinguishesCanonicallyEquivalentIDs() throws {
        let ids = ["caf\u{E9}", "cafe\u{301}"]
        let elements = ids.map { #"{"assetDevice":{"id":"\#($0)"}}"# }
        let page = try page(Samples.list(elements[0], elements[1]))
        var list = DeviceList(maxDevices: 10, maxPages: 10)
        _ = try list.add(page)
        #expect(list.readings.map(\.device.id) == ids.map { DeviceID($0) })
        #expect(list.repeated == 0)
    }

    @Test(
        arguments: [
            "null", "1", #""text""#, "[]", "{}", #"{"assetDevice":null}"#, #"{"assetDevice":{}}"#,
            #"{"assetDevice":{"id":null}}"#, #"{"assetDevice":{"id":""}}"#, #"{"assetDevice":{"id":"  "}}"#,
            #"{"assetDevice":{"id":1.5}}"#, #"{"assetDevice":{"id":9007199254740992.4}}"#,
            #"{"assetDevice":{"id":18446744073709551616}}"#, #"{"assetDevice":{"id":1e300}}"#,
            #"{"assetDevice":{"id":true}}"#, #"{"assetDevice":{"id":["d"]}}"#, #"{"assetDevice":"d"}"#,
            #"{"assetDevice":{"id":"\#(String(repeating: "x", count: 257))"}}"#,
        ]
    )
    func skipsAnElementWithoutAUsableID(element: String) throws {
        let page = try page(Samples.list(element, #"{"assetDevice":{"id":"good"}}"#))
        #expect(page.skipped == 1)
        #expect(page.readings.map(\.device.id) == [DeviceID("good")])
    }

    @Test func truncatesStringsTo1024BytesBetweenCharacters() throws {
        let long = String(repeating: "电", count: 400)
        let device = try reading(
            #"{"assetDevice":{"id":"d","alias":"\#(long)","model":"\#(long)"},"realtime":{"faultCode":"\#(long)"}}"#
        )
        let cut = String(repeating: "电", count: 341)
        #expect(device.device.alias == cut)
        #expect(device.device.model == cut)
        #expect(device.faultCode == cut)
    }

    @Test func acceptsAFaultCodeAsStringNumberOrNull() throws {
        #expect(try reading(realtime: #""faultCode": "E07""#).faultCode == "E07")
        #expect(try reading(realtime: #""faultCode": 7"#).faultCode == "7")
        #expect(try reading(realtime: #""faultCode": """#).faultCode == nil)
        #expect(try reading(realtime: #""faultCode": null"#).faultCode == nil)
    }

    // MARK: Phases

    @Test func decodesTheValuesOfThreePhases() throws {
        let realtime = """
            "inputVolt1": "230", "inputVolt2": "231", "inputVolt3": "232", "outputVolt2": "221", "outputCurrent3": "3.5",
            "loadWatt1": "100", "loadWatt2": "200", "loadVa3": "330"
            """
        let config = #""inputPhaseNumber": "3", "outputPhaseNumber": 3"#
        let reading = try reading(Samples.device(realtime: realtime, config: config))
        #expect(reading.device.inputPhaseCount == 3)
        #expect(reading.device.outputPhaseCount == 3)
        #expect(
            reading.phases == [
                DeviceReading.Phase(number: 1, inputVolts: 230, loadWatts: 100),
                DeviceReading.Phase(number: 2, inputVolts: 231, outputVolts: 221, loadWatts: 200),
                DeviceReading.Phase(number: 3, inputVolts: 232, outputAmperes: 3.5, loadVoltAmperes: 330),
            ]
        )
    }

    @Test(
        arguments: [
            (#""inputPhaseNumber": "1""#, #""inputVolt1": "1""#, false),
            ("", "", false),
            ("", #""inputVolt1": "230", "loadWatt1": "5""#, false),
            ("", #""inputVolt2": "", "loadVa3": "--""#, false),
            (#""outputPhaseNumber": "3""#, "", true),
            (#""inputPhaseNumber": 3"#, "", true),
            (#""inputPhaseNumber": "1", "outputPhaseNumber": "1""#, #""outputVolt3": "230""#, true),
            ("", #""loadWatt2": "5""#, true),
        ]
    )
    func detectsThreePhaseDevices(config: String, realtime: String, hasPhases: Bool) throws {
        let reading = try reading(Samples.device(realtime: realtime, config: config))
        #expect(reading.phases.map(\.number) == (hasPhases ? [1, 2, 3] : []))
    }

    // MARK: Alarms

    @Test func acceptsAlarmsAsStringsNumbersAndObjectsWithoutDuplicates() throws {
        let alarms = """
            ["On battery", "On battery", "", null, true, [], {}, 17, {"id": "a1", "name": "Overload"},
            {"id": 2, "message": "Battery low"}, {"id": "a1", "name": "Overload", "message": "again"}, {"name": ""},
            {"id": 3}, {"name": 42}]
            """
        #expect(
            try reading(Samples.device(more: #","activeAlarms": \#(alarms)"#)).alarms == [
                .init(text: "On battery"), .init(id: "17", text: "17"), .init(id: "a1", text: "Overload"),
                .init(id: "2", text: "Battery low"), .init(id: "3", text: "3"), .init(text: "42"),
            ]
        )
    }

    @Test func limitsTheNumberAndLengthOfAlarms() throws {
        let many = (0..<500).map { #""alarm \#($0)""# }.joined(separator: ",")
        #expect(try reading(Samples.device(more: #","activeAlarms": [\#(many)]"#)).alarms.count == 100)
        let long = String(repeating: "x", count: 5000)
        let alarm = try reading(Samples.device(more: #","activeAlarms": ["\#(long)"]"#)).alarms.first
        #expect(alarm?.text.utf8.count == 1024)
    }

    // MARK: The envelope of the devices

    @Test func acceptsAnEmptyList() throws {
        for body in [
            #"{"code":"000000","total":0,"data":null}"#, #"{"code":"000000","total":0,"data":[]}"#,
            #"{"code":"000000","total":"0"}"#, #"{"code":"000000","data":[]}"#,
        ] {
            #expect(try page(body).readings.isEmpty)
        }
    }

    @Test(
        arguments: [
            ("", .empty),
            (" \n", .empty),
            ("<!DOCTYPE html><html></html>", .webPage),
            ("{", .malformed(.init(problem: "a key is missing", offset: 1))),
            ("[]", .unexpected("it is not an object")),
            ("7", .unexpected("it is not an object")),
            ("null", .unexpected("it is not an object")),
            ("{}", .unexpected("it has no code")),
            (#"{"code":null}"#, .unexpected("it has no code")),
            (#"{"code":"000000"}"#, .unexpected("it has neither devices nor their number")),
            (#"{"code":"000000","data":{}}"#, .unexpected("its data is not a list")),
            (#"{"code":"000000","total":1,"data":"text"}"#, .unexpected("its data is not a list")),
            (#"{"code":"100010","msg":"bad area"}"#, .application(code: "100010", text: "bad area")),
            (#"{"code":500,"message":"oops"}"#, .application(code: "500", text: "oops")),
            (#"{"code":"500"}"#, .application(code: "500", text: nil)),
            (#"{"code":"","msg":""}"#, .application(code: "", text: nil)),
            (#"{"code":0}"#, .application(code: "0", text: nil)),
            (#"{"code":401,"msg":"Unauthorized"}"#, .rejected("Unauthorized")),
            (Samples.rejected401, .rejected("Unauthorized")),
            (Samples.rejected200, .rejected("没有登录或者令牌过期")),
        ] as [(String, ReplyFault)]
    )
    func rejectsInvalidRepliesWithTheReason(body: String, fault: ReplyFault) {
        #expect(throws: fault) { try page(body) }
    }

    @Test func usesTheFirstOfDuplicateKeys() throws {
        #expect(try reading(realtime: #""loadTotalWatt": "1", "loadTotalWatt": "2""#).load.watts == 1)
        #expect(try reading(realtime: #""loadTotalWatt": null, "loadTotalWatt": "2""#).load.watts == nil)
        #expect(throws: ReplyFault.application(code: "7", text: nil)) {
            try page(#"{"code":"7","data":[],"code":"000000"}"#)
        }
    }

    @Test func skipsAByteOrderMark() throws {
        #expect(try page("\u{FEFF}" + Samples.deviceList).readings.count == 1)
    }

    @Test func limitsAndSanitizesServerMessages() {
        let text = #"bad\u0000\u001b[31m password hunter2\r\n\u202e"# + String(repeating: "é", count: 300)
        let body = Array(#"{"code":"1","msg":"\#(text)"}"#.utf8)
        let decoder = ReplyDecoder(hiding: [Secret("hunter2")])
        let fault = #expect(throws: ReplyFault.self) { try decoder.token(body) }
        guard case .application(_, let shown?) = fault else {
            Issue.record("expected an application error with text, not \(String(describing: fault))")
            return
        }
        #expect(shown.hasPrefix("bad  [31m password <REDACTED>"))
        #expect(shown.utf8.count <= 200)
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" })
    }
}
