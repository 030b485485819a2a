// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPModel
import WPSimulator
import WPTestKit
import WPTestSupport

struct ScenarioTests {
    @Test func namesAreThoseOfTheCommandLine() {
        #expect(Scenario(rawValue: "on-battery") == .onBattery)
        #expect(Scenario(rawValue: "5xx") == .serverError)
        #expect(Set(Scenario.allCases.map(\.summary)).count == Scenario.allCases.count)
        for scenario in Scenario.allCases {
            #expect(
                scenario.rawValue.utf8.allSatisfy {
                    $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0)
                }
            )
        }
    }

    @Test func normalDevicesAreConsistent() async throws {
        let harness = SimulatorHarness(.normal, devices: 20)
        for device in try await harness.devices() {
            let realtime = try #require(device["realtime"])
            func value(_ key: String) throws -> Double { try #require(realtime[key]?.quantity, "\(key)") }
            #expect(realtime["mode"] == .string("3"))
            #expect(realtime["status"] == .string("1"))
            #expect(realtime["faultCode"] == .string(""))
            #expect(device["activeAlarms"] == .array([]))
            #expect(device["connected"] == .bool(true))
            let rating = try #require(device["config"]?["ratingVa"]?.quantity)
            #expect((1000...20_000).contains(rating))
            let watts = try value("loadTotalWatt")
            let voltAmperes = try value("loadTotalVa")
            #expect((0.1 * rating...0.82 * rating).contains(watts))
            #expect((watts...watts / 0.89).contains(voltAmperes))
            #expect(try value("loadWatt1") == watts)
            #expect(try abs(value("loadPercent") - 100 * voltAmperes / rating) <= 1.05)
            #expect(try abs(value("outputCurrent1") - voltAmperes / value("outputVolt1")) <= 0.06)
            #expect(try (220...240).contains(value("inputVolt1")))
            #expect(try (49.8...50.2).contains(value("inputFreq")))
            #expect(try (85...100).contains(value("batCapacity")))
            #expect(try value("batRemainTime") > 0)
            let batteryRating = try #require(device["config"]?["ratingBatVolt"]?.quantity)
            #expect(try value("batVoltP") > batteryRating)
        }
    }

    @Test func theLoadDrainsTheBatteryOnBattery() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 1, wattDecimals: 3))
        let id = harness.simulator.deviceIDs[0]
        harness.simulator.set(load: .constant(watts: 600), for: id)
        harness.simulator.set(scenario: .onBattery)
        let before = try await harness.realtime()
        #expect(before["mode"] == .string("4"))
        #expect(before["inputVolt1"] == .string("0.0"))
        #expect(before["inputFreq"] == .string("0.0"))
        #expect(before["isCharging"] == .string("0"))
        #expect(before["status"] == .string("2"))
        #expect(before["loadTotalWatt"] == .string("600.000"))
        let runtime = try #require(before["batRemainTime"]?.quantity)
        let charge = try #require(before["batCapacity"]?.quantity)

        harness.clock.advance(by: .seconds(300))
        let after = try await harness.realtime()
        #expect(try abs(#require(after["batRemainTime"]?.quantity) - (runtime - 300)) <= 1)
        #expect(try #require(after["batCapacity"]?.quantity) < charge)
        #expect(try #require(after["batVoltP"]?.quantity) < #require(before["batVoltP"]?.quantity))

        harness.clock.advance(by: .seconds(1_000_000))
        harness.simulator.set(scenario: .onBattery)
        let empty = try await harness.realtime()
        #expect(empty["batCapacity"] == .string("0"))
        #expect(empty["batRemainTime"] == .string("0"))
        #expect(empty["batteryStatus"] == .string("4"))

        harness.simulator.set(scenario: .normal)
        harness.clock.advance(by: .seconds(3600))
        let charging = try await harness.realtime()
        #expect(charging["batCapacity"] == .string("25"))
        #expect(charging["isCharging"] == .string("1"))
        #expect(charging["mode"] == .string("3"))
        harness.clock.advance(by: .seconds(100_000))
        let full = try await harness.realtime()
        #expect(full["batCapacity"] == .string("100"))
        #expect(full["isCharging"] == .string("0"))
    }

    @Test func threePhasesAddUp() async throws {
        let harness = SimulatorHarness(.threePhase, devices: 8)
        for (index, device) in try await harness.devices().enumerated() {
            let realtime = try #require(device["realtime"])
            let phases = index.isMultiple(of: 2) ? 3 : 1
            for key in ["inputPhaseNumber", "outputPhaseNumber"] {
                #expect(device["config"]?[key] == .string(String(phases)))
            }
            func sum(_ prefix: String) throws -> Double {
                try (1...phases).reduce(0) { try $0 + #require(realtime["\(prefix)\($1)"]?.quantity) }
            }
            #expect(try sum("loadWatt") == realtime["loadTotalWatt"]?.quantity)
            #expect(try sum("loadVa") == realtime["loadTotalVa"]?.quantity)
            for prefix in ["inputVolt", "outputVolt", "outputCurrent"] {
                #expect((realtime["\(prefix)3"] != nil) == (phases == 3))
                #expect(realtime["\(prefix)4"] == nil)
            }
            if phases == 3 { #expect(try #require(device["config"]?["ratingVa"]?.quantity) >= 10_000) }
        }
    }

    @Test func sendsAlarmsAsTextsAndAsObjects() async throws {
        let harness = SimulatorHarness(.alarm, devices: 6)
        let devices = try await harness.devices()
        #expect(devices.map { $0["realtime"]?["status"] } == Array(repeating: .string("2"), count: 6))
        #expect(devices[0]["activeAlarms"]?.elements.allSatisfy { $0.text?.isEmpty == false } == true)
        #expect(devices[1]["activeAlarms"]?.elements.allSatisfy { $0.keys == ["id", "name", "message"] } == true)
        let mixed = try #require(devices[2]["activeAlarms"]).elements
        #expect(mixed.count > Set(mixed).count)
        #expect(devices.map { $0["realtime"]?["faultCode"]?.text } == ["17", "", "", "", "", ""])
        #expect(devices[0]["realtime"]?["mode"] == .string("6"))
    }

    @Test func eachDeviceHasOneKindOfDefect() async throws {
        let healthy = try await SimulatorHarness(.normal, devices: 16).devices()
        let corrupted = try await SimulatorHarness(.missingFields, devices: 16).devices()
        for (index, device) in corrupted.enumerated() {
            let realtime = try #require(device["realtime"])
            for field in FieldDefect.fields {
                let right = try #require(healthy[index]["realtime"]?[field]?.quantity)
                let expected: JSONValue? =
                    switch FieldDefect.ofDevice(at: index) {
                    case .missing: nil
                    case .empty: .string("")
                    case .notANumber: .string("NaN")
                    case .text: .string("abc")
                    case .tooLarge: .string("1e999")
                    case .negative: .string("-1")
                    case .number: .number(right)
                    case .null: .null
                    }
                #expect(realtime[field] == expected, "\(field) of device \(index)")
            }
            #expect(realtime["upsTemperature"] == healthy[index]["realtime"]?["upsTemperature"])
        }
        #expect(FieldDefect.ofDevice(at: -3) == .text)
        #expect(FieldDefect.ofDevice(at: .min) == .missing)
    }

    @Test func disconnectedDevicesRepeatTheirLastValues() async throws {
        let harness = SimulatorHarness(.normal)
        let before = try await harness.devices()
        harness.simulator.set(scenario: .disconnected)
        harness.clock.advance(by: .seconds(4000))
        let after = try await harness.devices()
        #expect(after.map { $0["connected"] } == [.bool(false), .bool(true), .bool(false)])
        #expect(after[0]["realtime"] == before[0]["realtime"])
        #expect(after[1]["realtime"] != before[1]["realtime"])
        harness.simulator.set(scenario: .normal)
        #expect(try await harness.devices()[0]["realtime"] != before[0]["realtime"])
    }

    @Test func listsCanBeEmptyIncompleteOrRepeated() async throws {
        let harness = SimulatorHarness(.empty, devices: 25)
        let token = try await harness.token()
        let empty = try await harness.page(token: token)
        #expect(empty["total"] == .number(0))
        #expect(empty["data"] == .array([]))

        harness.simulator.set(scenario: .missingDevices)
        let short = try await harness.page(2, token: token)
        #expect(short["total"] == .number(26))
        #expect(short["data"]?.elements.count == 5)
        #expect(try await harness.page(3, token: token)["data"] == .array([]))

        harness.simulator.set(scenario: .repeatedPage)
        let first = try await harness.page(1, token: token)
        let second = try await harness.page(2, token: token)
        #expect(first["data"]?.elements.count == 20)
        #expect(first["data"] == second["data"])
    }

    @Test func producesEveryKindOfRejection() async throws {
        let harness = SimulatorHarness(.loginRefused)
        #expect(try await harness.login().json["data"] == .null)
        harness.simulator.set(scenario: .tokenRefused)
        let token = try await harness.token()
        #expect(try await harness.page(token: token)["code"] == .string("401"))
        harness.simulator.set(scenario: .applicationError)
        let reply = try await harness.get(SimulatorHarness.listTarget(page: 1), token: token)
        #expect(reply.status == .ok)
        #expect(try reply.json["code"] != .string("000000"))
        #expect(try reply.json["code"] != .string("401"))
        harness.simulator.set(scenario: .normal)
        #expect(try await harness.page(token: token)["code"] == .string("000000"))
    }
}
