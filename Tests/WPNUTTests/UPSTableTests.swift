// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPModel
@testable import WPNUT
import WPTestKit

@Suite("The UPS table")
struct UPSTableTests {
    private let clock = TestClock()
    private var now: Duration { clock.timeSource.now.monotonic }

    private func reading(_ id: String = "a", mode: Int = 3, charge: Double = 90) -> DeviceReading {
        var reading = DeviceReading.sample(id: id, alias: "机房 \(id)", time: clock.timeSource.now)
        reading.mode = OperatingMode(code: mode)
        reading.battery.isCharging = false
        reading.battery.chargePercent = charge
        return reading
    }

    private func table(_ configuration: NUTServer.Configuration = NUTServer.Configuration()) -> UPSTable {
        UPSTable(version: "1", configuration: configuration)
    }

    private func status(_ table: UPSTable, _ name: String = "a") -> String {
        do throws(NUTError) {
            return try table.view(at: now).requireCurrent(name)[.upsStatus]?.value ?? "none"
        } catch {
            return error.rawValue
        }
    }

    @Test func isNotConnectedBeforeTheFirstReading() {
        var table = table()
        #expect(status(table) == "UNKNOWN-UPS")
        _ = table.record(UPSObservation(readings: nil, known: [Device(id: "a", alias: "x")]))
        #expect(status(table) == "DRIVER-NOT-CONNECTED")
        _ = table.record(UPSObservation(readings: [reading()]))
        #expect(status(table) == "OL")
    }

    @Test func reportsOldReadingsAsStale() {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading()]))
        clock.advance(by: .seconds(15))
        #expect(status(table) == "OL")
        clock.advance(by: .milliseconds(1))
        #expect(status(table) == "DATA-STALE")
        _ = table.record(UPSObservation(readings: [reading()]))
        #expect(status(table) == "OL")
    }

    @Test func reportsAReadingFromTheFutureAsStale() {
        var table = table()
        var future = reading()
        future.time.monotonic += .seconds(1)
        _ = table.record(UPSObservation(readings: [future]))
        #expect(status(table) == "DATA-STALE")
    }

    @Test func ignoresTheWallClock() {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading()]))
        clock.stepWall(by: 1e9)
        #expect(status(table) == "OL")
    }

    @Test func reportsADisconnectedDeviceAsStale() {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading()]))
        var gone = reading()
        gone.isConnected = false
        _ = table.record(UPSObservation(readings: [gone]))
        #expect(status(table) == "DATA-STALE")
        gone.isConnected = nil
        _ = table.record(UPSObservation(readings: [gone]))
        #expect(status(table) == "OL")
    }

    @Test func reportsAnUnknownStatusAsStale() {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading()]))
        var unknown = reading(mode: 9)
        unknown.input.volts = nil
        _ = table.record(UPSObservation(readings: [unknown]))
        #expect(status(table) == "DATA-STALE")
    }

    @Test func reportsAMissingDeviceAsNotConnected() {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading(), reading("b")]))
        _ = table.record(UPSObservation(readings: [reading("b")]))
        #expect(status(table) == "DRIVER-NOT-CONNECTED")
        #expect(status(table, "b") == "OL")
        #expect(table.view(at: now).upses.map(\.name) == ["a", "b"])
    }

    @Test func publishesAliasesAsDescriptions() {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading()]))
        #expect(table.view(at: now).upses.map(\.description) == ["机房 a"])
        #expect(table.view(at: now).name(of: "A") == "a")
    }

    @Test func keepsAForcedShutdownUntilTheMainsAreStable() {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading(mode: 4)]))
        #expect(table.beginForcedShutdown(of: "a") == true)
        #expect(table.beginForcedShutdown(of: "a") == false)
        #expect(table.beginForcedShutdown(of: "x") == nil)
        #expect(status(table) == "FSD OB DISCHRG")
        var ended: [UPSTable.Event] = []
        func pass(_ seconds: Int, mode: Int) {
            for _ in 0..<(seconds / 5) {
                clock.advance(by: .seconds(5))
                ended += table.record(UPSObservation(readings: [reading(mode: mode)])).filter {
                    if case .forcedShutdownEnded = $0 { true } else { false }
                }
            }
        }
        pass(200, mode: 3)
        #expect(status(table) == "FSD OL")
        pass(5, mode: 4)
        pass(300, mode: 3)
        #expect(status(table) == "FSD OL")
        // The state between two distant readings is unknown.
        clock.advance(by: .seconds(60))
        pass(300, mode: 3)
        #expect(status(table) == "FSD OL")
        pass(5, mode: 3)
        #expect(status(table) == "OL")
        #expect(ended == [.forcedShutdownEnded(ups: "a")])
    }

    /// Otherwise a machine that restarts when the mains return would shut down immediately, and stay off.
    @Test func excludesLaterLoginsFromAForcedShutdown() {
        var table = table()
        func status(of connection: UInt64?) -> String? {
            try? table.view(at: now, of: connection).requireCurrent("a")[.upsStatus]?.value
        }
        func pass(mode: Int, by gap: Duration = .seconds(5)) {
            clock.advance(by: gap)
            _ = table.record(UPSObservation(readings: [reading(mode: mode)]))
        }
        table.logIn(1, from: "x", to: "a", at: now)
        _ = table.record(UPSObservation(readings: [reading(mode: 4)]))
        #expect(table.beginForcedShutdown(of: "a") == true)
        table.logIn(2, from: "x", to: "a", at: now)
        #expect(status(of: 2) == "FSD OB DISCHRG")
        pass(mode: 3)
        clock.advance(by: .seconds(1))
        table.logIn(3, from: "x", to: "a", at: now)
        for connection in [1, 2, nil] as [UInt64?] { #expect(status(of: connection) == "FSD OL") }
        #expect(status(of: 3) == "OL")
        // Neither a gap nor another outage changes that; only a primary does.
        pass(mode: 3, by: .seconds(60))
        #expect(status(of: 3) == "OL" && status(of: 1) == "FSD OL")
        pass(mode: 4)
        #expect(status(of: 3) == "OB DISCHRG" && status(of: 1) == "FSD OB DISCHRG")
        #expect(table.beginForcedShutdown(of: "a") == true)
        #expect(status(of: 3) == "FSD OB DISCHRG")
    }

    @Test func knowsAssignedNamesBeforeTheFirstReading() throws {
        var configuration = NUTServer.Configuration()
        configuration.names = try UPSNames(given: ["a": "rack", "0": "typo"])
        var table = table(configuration)
        #expect(status(table, "RACK") == "DRIVER-NOT-CONNECTED")
        #expect(status(table, "nope") == "UNKNOWN-UPS")
        _ = table.record(UPSObservation(readings: [reading()]))
        #expect(status(table, "rack") == "OL" && status(table, "typo") == "DRIVER-NOT-CONNECTED")
        #expect(table.view(at: now).upses.map(\.description) == ["机房 a", ""])
        configuration.names = try UPSNames(given: ["c": "new"])
        table.update(configuration)
        #expect(table.view(at: now).upses.map(\.name) == ["a", "new"])
        #expect(status(table) == "OL" && status(table, "new") == "DRIVER-NOT-CONNECTED")
    }

    @Test func keepsDataStaleDuringAForcedShutdown() {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading(mode: 4)]))
        _ = table.beginForcedShutdown(of: "a")
        clock.advance(by: .seconds(16))
        #expect(status(table) == "DATA-STALE")
    }

    @Test func keepsDataWhenNewSettingsRenameADevice() throws {
        var table = table()
        _ = table.record(UPSObservation(readings: [reading(mode: 4), reading("b")]))
        _ = table.beginForcedShutdown(of: "a")
        table.logIn(7, from: "10.0.0.1", to: "a", at: now)
        var configuration = NUTServer.Configuration()
        configuration.names = try UPSNames(given: ["a": "rack"])
        table.update(configuration)
        #expect(status(table, "rack") == "FSD OB DISCHRG")
        #expect(status(table) == "UNKNOWN-UPS")
        #expect(status(table, "b") == "OL")
        #expect(table.view(at: now).clients(of: "rack") == ["10.0.0.1"])
        table.logOut(7)
        #expect(table.view(at: now).clients(of: "rack") == [])
    }

    @Test func reportsChangesAndDuplicatesOnce() throws {
        var table = table()
        #expect(table.record(UPSObservation(readings: [reading()])) == [.status(ups: "a", from: "", to: "OL")])
        #expect(table.record(UPSObservation(readings: [reading()])) == [])
        #expect(
            table.record(UPSObservation(readings: [reading(mode: 4)]))
                == [.status(ups: "a", from: "OL", to: "OB DISCHRG")]
        )
        #expect(table.record(UPSObservation(readings: [reading(mode: 4), reading("A")])) == [.duplicate(name: "A")])
        #expect(table.record(UPSObservation(readings: [reading(mode: 4), reading("A")])) == [])
    }

    @Test func requiresTwoReadingsAfterARestartOnBattery() {
        var table = table()
        _ = table.record(UPSObservation(readings: nil, known: [Device(id: "a")]))
        #expect(status(table) == "DRIVER-NOT-CONNECTED")
        _ = table.record(UPSObservation(readings: [reading(mode: 4, charge: 5)]))
        #expect(status(table) == "OB DISCHRG")
        _ = table.record(UPSObservation(readings: [reading(mode: 4, charge: 5)]))
        #expect(status(table) == "OB LB DISCHRG")
    }
}
