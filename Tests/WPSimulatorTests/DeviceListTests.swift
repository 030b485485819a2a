// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPModel
import WPSimulator
import WPTestKit
import WPTestSupport

struct DeviceListTests {
    /// The keys of `realtime` in the captured order.
    private static let realtimeKeys = [
        "inputVolt1", "outputVoltageType", "loadPercent", "isCharging", "inputTransformerType", "batVoltP",
        "outputCurrent1", "upsTemperature", "mode", "batRemainTime", "loadVa1", "faultCode", "outputVolt1",
        "outputFreq", "inputFreq", "loadTotalVa", "batteryStatus", "testStatus", "loadTotalWatt", "loadWatt1",
        "batCapacity", "status",
    ]

    @Test func aDeviceHasTheCapturedStructure() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 1))
        let reply = try await harness.get(SimulatorHarness.listTarget(page: 1), token: harness.token())
        let realtime = Self.realtimeKeys.map { #""\#($0)":"""# }.joined(separator: ",")
        let captured = try JSONValue(
            parsing: #"""
                {"total":1,"pageSize":20,"currentPage":1,"data":[{
                "assetDevice":{"id":"","deviceType":1,"model":"","alias":"","protocolId":13,"connectType":1,"comPort":"",
                "baudRate":2400,"areaId":"","isActive":true,"firmwareVersion":"","createTime":"","warrantyStatus":0},
                "realtime":{\#(realtime)},
                "config":{"inputPhaseNumber":"","ratingBatUnitNumber":"","upsModuleNumber":"","ratingBatVoltPerUnit":"",
                "ratingVa":"","inputSourceNumber":"","ratingVolt":"","outputPhaseNumber":"","ratingFreq":"",
                "ratingBatVolt":""},
                "setting":{"enableAudible":"","enableBypassWhenTurnOff":"","batteryModuleNumber":"","autoTestPeriod":"",
                "enableAutoRestart":""},
                "activeAlarms":[],
                "controlSupported":{"supportQuickTest":true,"supportDeepTest":true,"supportTestDuration":true,
                "supportShutdown":true},
                "connected":true}],"code":"000000","msg":"OK"}
                """#
        )
        #expect(try reply.json.shape == captured.shape)
        var rest = reply.text[...]
        for key in ["total", "pageSize", "currentPage", "data", "assetDevice", "realtime"] + Self.realtimeKeys
            + ["config", "setting", "activeAlarms", "controlSupported", "connected", "code", "msg"]
        {
            let position = try #require(rest.firstRange(of: "\"\(key)\":"), "\(key) is missing or out of order")
            rest = rest[position.upperBound...]
        }
    }

    @Test func pagesAreCappedAndContainEveryDeviceOnce() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 250))
        let token = try await harness.token()
        var ids: [String] = []
        for number in 1...14 {
            let page = try await harness.page(number, size: 100, token: token)
            #expect(page["total"] == .number(250))
            #expect(page["pageSize"] == .number(20))
            #expect(page["currentPage"] == .number(Double(number)))
            let devices = try #require(page["data"]).elements
            #expect(devices.count == (number < 13 ? 20 : number == 13 ? 10 : 0))
            ids += devices.compactMap { $0["assetDevice"]?["id"]?.text }
        }
        #expect(ids.count == 250)
        #expect(Set(ids).count == 250)
        #expect(ids == harness.simulator.deviceIDs.map(\.rawValue))
        #expect(harness.simulator.counters.pages == 14)
        #expect(harness.simulator.counters.requests == 15)
    }

    @Test func hasSixKindsOfDevices() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 100, pageCap: 100))
        let page = try await harness.page(token: harness.token())
        let kinds = page["data"]?.elements.map { device in
            [device["assetDevice"]?["model"], device["config"]?["ratingVa"], device["config"]?["ratingBatUnitNumber"]]
                .map { $0?.text ?? "" }.joined(separator: " ")
        }
        #expect(
            Set(kinds ?? []) == [
                "ON-LINE 3000 6", "ON-LINE 6000 16", "LINE-INTERACTIVE 1000 2", "ON-LINE 10000 16", "ON-LINE 2000 6",
                "ON-LINE 20000 20",
            ]
        )
    }

    /// The members of a section of the first device, a minute after the start.
    private func members(of section: String, _ scenario: Scenario) async throws -> String {
        let harness = SimulatorHarness(scenario, devices: 1)
        harness.clock.advance(by: .seconds(60))
        let page = try await harness.page(token: harness.token())
        guard case .object(let members)? = page["data"]?.elements.first?[section] else { return "none" }
        return members.sorted { $0.key < $1.key }.map { member in
            switch member.value {
            case .string(let text): "\(member.key)=\(text)"
            case .number(let number): "\(member.key)=\(Int(number))"
            case .bool(let value): "\(member.key)=\(value)"
            default: "\(member.key)=?"
            }
        }.joined(separator: " ")
    }

    @Test(
        arguments: [
            (
                .normal,
                "batCapacity=88 batRemainTime=1066 batVoltP=27.2 batteryStatus=2 faultCode= inputFreq=50.0 "
                    + "inputTransformerType=0 inputVolt1=228.3 isCharging=1 loadPercent=43 loadTotalVa=435 "
                    + "loadTotalWatt=403 loadVa1=435 loadWatt1=403 mode=3 outputCurrent1=2.0 outputFreq=50.0 "
                    + "outputVolt1=220.2 outputVoltageType=0 status=1 testStatus=1 upsTemperature=27.2"
            ),
            (
                .threePhase,
                "batCapacity=88 batRemainTime=1066 batVoltP=27.2 batteryStatus=2 faultCode= inputFreq=50.0 "
                    + "inputTransformerType=0 inputVolt1=228.3 inputVolt2=228.7 inputVolt3=236.0 isCharging=1 "
                    + "loadPercent=4 loadTotalVa=435 loadTotalWatt=403 loadVa1=156 loadVa2=144 loadVa3=135 "
                    + "loadWatt1=145 loadWatt2=133 loadWatt3=125 mode=3 outputCurrent1=0.7 outputCurrent2=0.7 "
                    + "outputCurrent3=0.6 outputFreq=50.0 outputVolt1=220.2 outputVolt2=219.6 outputVolt3=220.2 "
                    + "outputVoltageType=0 status=1 testStatus=1 upsTemperature=24.3"
            ),
            (
                .onBattery,
                "batCapacity=83 batRemainTime=997 batVoltP=24.5 batteryStatus=2 faultCode= inputFreq=0.0 "
                    + "inputTransformerType=0 inputVolt1=0.0 isCharging=0 loadPercent=43 loadTotalVa=435 "
                    + "loadTotalWatt=403 loadVa1=435 loadWatt1=403 mode=4 outputCurrent1=2.0 outputFreq=50.0 "
                    + "outputVolt1=220.2 outputVoltageType=0 status=2 testStatus=1 upsTemperature=27.2"
            ),
            (
                .alarm,
                "batCapacity=88 batRemainTime=1066 batVoltP=27.2 batteryStatus=2 faultCode=17 inputFreq=50.0 "
                    + "inputTransformerType=0 inputVolt1=228.3 isCharging=1 loadPercent=43 loadTotalVa=435 "
                    + "loadTotalWatt=403 loadVa1=435 loadWatt1=403 mode=6 outputCurrent1=2.0 outputFreq=50.0 "
                    + "outputVolt1=220.2 outputVoltageType=0 status=2 testStatus=1 upsTemperature=27.2"
            ),
        ] as [(Scenario, String)]
    )
    func hasTheValuesOfItsSeed(_ scenario: Scenario, _ expected: String) async throws {
        #expect(try await members(of: "realtime", scenario) == expected)
    }

    @Test func hasTheIdentityOfItsSeed() async throws {
        #expect(
            try await members(of: "assetDevice", .normal)
                == "alias=UPS-01 Rack A areaId=00000000-0000-0000-0000-000000000000 baudRate=2400 comPort=COM1 "
                + "connectType=1 createTime=2025-01-25T06:02:04.523405 deviceType=1 firmwareVersion=04.26 "
                + "id=f42c1727-f9a3-456d-ac5e-30c166f759b4 isActive=true model=LINE-INTERACTIVE protocolId=13 "
                + "warrantyStatus=0"
        )
        #expect(
            try await members(of: "setting", .normal)
                == "autoTestPeriod=90 batteryModuleNumber=1 enableAudible=1 enableAutoRestart=1 "
                + "enableBypassWhenTurnOff=0"
        )
        #expect(
            try await members(of: "config", .normal)
                == "inputPhaseNumber=1 inputSourceNumber=1 outputPhaseNumber=1 ratingBatUnitNumber=2 "
                + "ratingBatVolt=24 ratingBatVoltPerUnit=12 ratingFreq=50 ratingVa=1000 ratingVolt=220 "
                + "upsModuleNumber=1"
        )
        #expect(
            try await members(of: "config", .threePhase)
                == "inputPhaseNumber=3 inputSourceNumber=1 outputPhaseNumber=3 ratingBatUnitNumber=2 "
                + "ratingBatVolt=24 ratingBatVoltPerUnit=12 ratingFreq=50 ratingVa=10000 ratingVolt=220 "
                + "upsModuleNumber=1"
        )
    }

    @Test func clampsThePageSize() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 5, pageCap: 3))
        let token = try await harness.token()
        let page = try await harness.page(2, size: 2, token: token)
        #expect(page["pageSize"] == .number(2))
        #expect(page["data"]?.elements.count == 2)
        #expect(try await harness.page(1, size: 9, token: token)["data"]?.elements.count == 3)
        #expect(try await harness.page(1, size: 0, token: token)["data"]?.elements.count == 1)
    }

    @Test(arguments: [
        ("", 1, 12), ("?pageNum=2", 2, 12), ("?current=2", 2, 12), ("?current=0", 1, 12), ("?current=-7", 1, 12),
        ("?current=9223372036854775807&pageSize=20", Int.max, 12), ("?deviceType=1", 1, 10), ("?deviceType=2", 1, 2),
        ("?deviceType=3", 1, 0), ("?deviceType=", 1, 12), ("?includeSubArea=false", 1, 9),
        ("?areaId=00000000-0000-0000-0000-000000000001", 1, 3), ("?areaId=nowhere", 1, 0),
        ("?areaId=0%30000000-0000-0000-0000-000000000000&x=%ZZ&%", 1, 12),
    ])
    func parametersSelectDevices(query: String, page: Int, total: Int) async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 10, otherDeviceCount: 2))
        let reply = try await harness.get("/api/v1/deviceData/detail/list\(query)", token: harness.token()).json
        #expect(reply["code"] == .string("000000"))
        #expect(reply["total"] == .number(Double(total)))
        #expect(reply["currentPage"] == .number(Double(page)))
        #expect(reply["data"]?.elements.count == (page == 1 ? total : 0))
    }

    @Test(arguments: [
        "current=x", "current=1&pageNum=2", "pageSize=1.5", "deviceType=ups", "current=99999999999999999999",
    ])
    func rejectsInvalidParameters(query: String) async throws {
        let harness = SimulatorHarness()
        let reply = try await harness.get("/api/v1/deviceData/detail/list?\(query)", token: harness.token())
        #expect(reply.status == .badRequest)
        #expect(try reply.json["code"] == .string("400"))
    }

    @Test func devicesOtherThanUPSesHaveNoValues() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 1, otherDeviceCount: 1))
        let reply = try await harness.get("/api/v1/deviceData/detail/list", token: harness.token()).json
        let other = try #require(reply["data"]?.elements.last)
        #expect(other["assetDevice"]?["deviceType"] == .number(2))
        #expect(other["realtime"] == .object([:]))
        #expect(other["config"] == .object([:]))
        #expect(harness.simulator.deviceIDs.count == 1)
    }

    @Test(arguments: [
        ("GET", "/", 404), ("GET", "/api/v1/auth", 404), ("POST", "/api/v1/deviceData/detail/lists", 404),
        ("GET", "/api/v1/auth/login", 405), ("PUT", "/api/v1/auth/login", 405),
        ("POST", "/api/v1/deviceData/detail/list", 405), ("HEAD", "/api/v1/deviceData/detail/list?current=1", 405),
    ])
    func rejectsOtherPathsAndMethods(method: String, target: String, status: Int) async throws {
        let harness = SimulatorHarness()
        let reply = try await harness.send(HTTPRequest(method: HTTPMethod(rawValue: method), target: target))
        #expect(reply.status.code == status)
        #expect((reply.headers["Allow"] != nil) == (status == 405))
        #expect(try reply.json["code"] == .string(String(status)))
    }

    @Test(arguments: [
        #"He said "ups""#, #"C:\ups\1"#, "two\nlines\tand\r\u{0}\u{1F}\u{7F}", "机房 A", "🔋", "e\u{301}", "\u{2028}", "",
        "</script>",
    ])
    func keepsAnyAlias(alias: String) async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceAliases: [alias]))
        let aliases = try await harness.devices().map { $0["assetDevice"]?["alias"]?.text }
        let first = try #require(aliases.first ?? nil)
        #expect(Array(first.unicodeScalars) == Array(alias.unicodeScalars))
        #expect(aliases.dropFirst() == ["UPS-02 Rack B", "UPS-03 Rack C"])
    }

    @Test func numbersDevicesWithTwoDigits() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 11))
        let aliases = try await harness.devices().map { $0["assetDevice"]?["alias"]?.text }
        #expect(aliases.suffix(3) == ["UPS-09 Rack I", "UPS-10 Rack J", "UPS-11 Rack K"])
    }

    @Test func canSendBodiesWithALength() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(chunked: false))
        let reply = try await harness.login()
        #expect(reply.pieces == 0)
        #expect(try reply.json["code"] == .string("000000"))
    }

    @Test(arguments: [(-1, 0), (0, 0), (2, 2)])
    func clampsTheDeviceCount(count: Int, devices: Int) async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: count, pageCap: -1))
        #expect(harness.simulator.deviceIDs.count == devices)
        let page = try await harness.page(token: harness.token())
        #expect(page["pageSize"] == .number(1))
        #expect(page["data"]?.elements.count == min(devices, 1))
    }
}
