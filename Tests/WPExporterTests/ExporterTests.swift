// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
import WPSimulator
import WPTestKit

@testable import WPExporter

@Suite("The exporter against a simulated WinPower server", .timeLimit(.minutes(5)))
struct ExporterTests {
    @Test func servesEveryDeviceOfAServerThatCapsItsPages() async throws {
        let stack = try await Stack(SimulatorConfiguration(deviceCount: 250, pageCap: 20))
        #expect(await stack.cycle() == .success)
        let families = try await stack.scrape()
        let ids = families.metrics("winpower_device_connected").compactMap { $0.labels["device_id"] }
        #expect(Set(ids) == Set(stack.simulator.deviceIDs.map(\.rawValue)))
        #expect(ids.count == 250)
        #expect(families.value("winpower_exporter_device_count") == 250)
        try await stack.stop()
    }

    @Test func passesLintExceptForThePromisedName() async throws {
        let stack = try await Stack(SimulatorConfiguration(deviceCount: 3, scenario: .alarm))
        await stack.cycle()
        let problems = MetricLinter.lint(try await stack.scrape())
        #expect(Set(problems.map(\.family)) == ["winpower_exporter_device_count"])
        try await stack.stop()
    }

    @Test(arguments: [
        (Scenario.serverError, FailureReason.http), (.truncated, .connect), (.applicationError, .decode),
        (.tokenRefused, .auth), (.missingDevices, .decode),
    ])
    func servesScrapesWhileTheUpstreamFails(scenario: Scenario, reason: FailureReason) async throws {
        let stack = try await Stack(settings: ["metrics.stale_after": "1h"])
        #expect(await stack.cycle() == .success)
        stack.simulator.set(scenario: scenario)
        #expect(await stack.cycle() == .failure(reason))
        #expect(await stack.cycle() == .failure(reason))

        var families = try await stack.scrape()
        #expect(families.value("winpower_exporter_scrape_errors_total", ["reason": reason.rawValue]) == 2)
        #expect(families.metrics("winpower_device_load_total_watts").count == 3)
        let health = try await stack.get("/health")
        #expect(health.status == .ok)
        #expect(String(decoding: health.bytes, as: UTF8.self).contains("\"status\":\"degraded\""))
        #expect(stack.log.messages().filter { $0 == "Collection failed" }.count == 1)

        stack.simulator.set(scenario: .normal)
        if reason != .auth {
            #expect(await stack.cycle() == .success)
            families = try await stack.scrape()
            #expect(families.value("winpower_connection_status") == 1)
            #expect(families.value("winpower_auth_status") == 1)
            #expect(stack.log.messages().filter { $0 == "Collection recovered" }.count == 1)
        }
        try await stack.stop()
    }

    @Test func reportsAHangingUpstreamAsATimeout() async throws {
        let stack = try await Stack(settings: ["winpower.timeout": "300ms", "winpower.api_timeout": "200ms"])
        stack.simulator.set(scenario: .hang)
        #expect(await stack.cycle() == .failure(.timeout))
        let families = try await stack.scrape()
        #expect(families.value("winpower_connection_status") == 0)
        #expect(families.value("winpower_exporter_scrape_errors_total", ["reason": "timeout"]) == 1)
        try await stack.stop()
    }

    @Test(arguments: AuthFailureShape.allCases)
    func renewsAnExpiredTokenWithinTheCycle(shape: AuthFailureShape) async throws {
        let stack = try await Stack(SimulatorConfiguration(authFailureShape: shape))
        #expect(await stack.cycle() == .success)
        stack.simulator.expireTokens()
        #expect(await stack.cycle() == .success)
        #expect(stack.simulator.counters.logins == 2)
        let families = try await stack.scrape()
        #expect(families.value("winpower_exporter_logins_total", ["result": "success"]) == 2)
        #expect((families.value("winpower_token_expiry_seconds") ?? 0) > 1000)
        try await stack.stop()
    }

    @Test func backsOffAfterRejectedCredentials() async throws {
        let stack = try await Stack(settings: ["winpower.password": "wrong"])
        #expect(await stack.cycle() == .failure(.auth))
        #expect(try await stack.scrape().value("winpower_connection_status") == 1)
        for _ in 0..<4 { #expect(await stack.cycle() == .failure(.auth)) }
        #expect(stack.simulator.counters.rejectedLogins == 1)
        let families = try await stack.scrape()
        #expect(families.value("winpower_auth_status") == 0)
        // No request is sent during the backoff.
        #expect(families.value("winpower_connection_status") == 0)
        #expect(stack.log.mentions("Check winpower.username and winpower.password."))
        #expect(!stack.log.mentions("wrong"))
        try await stack.stop()
    }

    @Test func omitsInvalidFieldsOnly() async throws {
        let stack = try await Stack(SimulatorConfiguration(deviceCount: 16, scenario: .missingFields))
        #expect(await stack.cycle() == .success)
        let families = try await stack.scrape()
        #expect(families.metrics("winpower_device_connected").count == 16)
        let values = families.filter { $0.name.hasPrefix("winpower_device_") }.flatMap(\.metrics).map(\.value)
        #expect(values.allSatisfy { $0 != .value(.nan) && $0 != .value(.infinity) })
        let watts = families.metrics("winpower_device_load_total_watts").count
        #expect(watts > 0 && watts < 16)
        #expect(families.metrics("winpower_device_info").count == 16)
        try await stack.stop()
    }

    @Test func preservesNamesInAnyScript() async throws {
        let names = ["UPS \"A\"", "back\\slash", "line\nbreak", "机房一", "أجهزة", "UPS \"A\""]
        let stack = try await Stack(SimulatorConfiguration(deviceCount: names.count, deviceAliases: names))
        await stack.cycle()
        let found = try await stack.scrape().metrics("winpower_device_connected").compactMap {
            $0.labels["device_name"]
        }
        #expect(found.sorted() == names.sorted())
        try await stack.stop()
    }

    @Test func followsAddedRemovedAndRenamedDevices() async throws {
        let stack = try await Stack(SimulatorConfiguration(deviceCount: 2))
        let (first, second) = (stack.simulator.deviceIDs[0], stack.simulator.deviceIDs[1])
        await stack.cycle()
        stack.simulator.rename(first, to: "Renamed")
        stack.simulator.removeDevice(second)
        await stack.cycle()
        var connected = try await stack.scrape().metrics("winpower_device_connected")
        #expect(connected.map { $0.labels["device_name"] } == ["Renamed"])
        stack.simulator.restoreDevice(second)
        await stack.cycle()
        connected = try await stack.scrape().metrics("winpower_device_connected")
        #expect(connected.count == 2)
        try await stack.stop()
    }

    @Test func continuesEnergyAfterARestart() async throws {
        let configuration = SimulatorConfiguration(deviceCount: 1)
        let name = "winpower_device_energy_joules_total"
        let first = try await Stack(configuration)
        await first.cycle()
        await first.cycle()
        let before = try #require(try await first.scrape().value(name))
        #expect(before > 0)

        let alias = try await first.scrape().metrics("winpower_device_cumulative_energy").first?.labels["device_name"]

        let second = try await Stack(configuration, directory: try await first.stop())
        // Even before WinPower has responded.
        let families = try await second.scrape()
        #expect(families.value(name) == before)
        let remembered = families.metrics("winpower_device_cumulative_energy").first?.labels["device_name"]
        #expect(remembered != nil && remembered == alias)
        await second.cycle()
        let after = try #require(try await second.scrape().value(name))
        #expect(after >= before)
        try await second.stop()
    }

    @Test func rejectsASecondExporterOnADataDirectory() async throws {
        let stack = try await Stack()
        let directory = try TemporaryDirectory()
        let loaded = try Stack.settings(
            "http://127.0.0.1:9",
            directory,
            ["storage.data_dir": stack.dataDirectory]
        )
        let error = await #expect(throws: EnergyStoreError.self) {
            _ = try await Exporter(loaded: loaded)
        }
        #expect(error?.message.hasSuffix(". Stop it first, or set storage.data_dir to another directory.") == true)
        try await stack.stop()
    }
}
