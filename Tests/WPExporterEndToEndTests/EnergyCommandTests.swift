// SPDX-License-Identifier: MIT

import Testing
import WPDashboard
import WPConfig
import WPCommandLine
import WPLogging
import WPModel
import WPStorage
import WPTestKit

@testable import WPExporter
@testable import wpexporter

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct EnergyCommandTests {
    private let directory: TemporaryDirectory
    private let records = [
        EnergyRecord(
            key: EnergyKey(device: DeviceID("a")),
            total: EnergyTotal(joules: 4500, meteredSeconds: 7200, gapSeconds: 90),
            compensationJoules: 1e-14,
            lastSample: .init(wall: Date(timeIntervalSince1970: 1_750_000_000.25), watts: 195.5)
        ),
        EnergyRecord(key: EnergyKey(device: DeviceID("b,\"\u{1b}[2J\"")), total: EnergyTotal(joules: 0.1)),
    ]

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func save(_ records: [EnergyRecord]) async throws {
        let store = try await FileEnergyStore.open(.init(directory: directory.path), logger: .silent)
        try await store.save(records)
        await store.close()
    }

    private var saved: [EnergyRecord] {
        get async throws { try await FileEnergyStore.peek(.init(directory: directory.path), logger: .silent) }
    }

    @discardableResult
    private func energy(_ arguments: String...) async throws -> String {
        let options = try OptionParser(EnergyCommand.spec).parse(arguments + ["--data-dir=\(directory.path)"])
        return try await EnergyCommand.output(options)
    }

    private func status(_ arguments: String...) async -> wpexporter.ExitStatus {
        await Program.run(["energy"] + arguments + ["--data-dir=\(directory.path)"])
    }

    private var audit: [AuditLine] {
        get throws {
            try directory.text(of: "energy.audit.log").split(separator: "\n").map {
                try JSONDecoder().decode(AuditLine.self, from: Data($0.utf8))
            }
        }
    }

    private struct AuditLine: Decodable {
        var time: String
        var action: String
        var device: String
        var uid: UInt32
        var old: Total?
        var new: Total
        var reason: String?

        struct Total: Decodable {
            var watt_hours: Double
            var metered_seconds: Double
        }
    }

    // MARK: Reading

    @Test func listShowsEveryDeviceAsATable() async throws {
        try await save(records)
        let found = try await energy("list")
        let lines = found.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].split(separator: " ") == ["a", "1.250", "2.00", "0.03", "2025-06-15T15:06:40Z", "195.5"])
        #expect(lines[2].hasPrefix(#"b,"\u{1b}[2J""#))
        #expect(!found.contains("\u{1b}"))
        #expect(Set(lines.map(\.count)).count == 1)
    }

    @Test func aNarrowTableKeepsDeviceAndEnergy() throws {
        let report = EnergyReport(records)
        #expect(try report.text(.table, width: 58).hasPrefix("DEVICE         ENERGY (Wh)  LAST SAMPLE (UTC)"))
        for width in 30...120 {
            for line in try report.text(.table, width: width).split(separator: "\n") { #expect(line.count <= width) }
        }
    }

    @Test func listWritesJSONAndCSVWithEveryDigit() async throws {
        try await save(records)
        #expect(
            try await energy("list", "--format", "json") == """
                {"devices":[{"device":"a","gap_seconds":90,"joules":4500,"last_sample_time":"2025-06-15T15:06:40.250Z",\
                "last_watts":195.5,"metered_seconds":7200,"source":"","watt_hours":1.25},{"device":"b,\\"\\u001b[2J\\"",\
                "gap_seconds":0,"joules":0.1,"metered_seconds":0,"source":"","watt_hours":\(0.1 / 3600)}]}

                """
        )
        #expect(
            try await energy("list", "--format", "csv")
                == "source,device,watt_hours,joules,metered_seconds,gap_seconds,last_sample_time,last_watts\r\n"
                + ",a,1.25,4500.0,7200.0,90.0,2025-06-15T15:06:40.250Z,195.5\r\n"
                + ",\"b,\"\"\u{1b}[2J\"\"\",\(0.1 / 3600),0.1,0.0,0.0,,\r\n"
        )
    }

    @Test func showTellsOfOneDeviceOnly() async throws {
        try await save(records)
        #expect(try await energy("show", "a").split(separator: "\n").count == 2)
        #expect(try await energy("show", "a", "--format=json").contains(#""watt_hours":1.25"#))
        await #expect(throws: EnergyTotalsFailure.self) { try await energy("show", "nobody") }
        #expect(await status("show", "nobody") == .failure)
    }

    @Test func anEmptyDirectoryHasNoTotalsAndAMissingOneIsAFault() async throws {
        #expect(try await energy("list") == "There are no energy totals yet.\n")
        #expect(directory.names == [])
        let missing = directory.file("missing")
        for words in [["list"], ["show", "a"], ["export"], ["set", "a", "1"], ["reset", "a"]] {
            #expect(await Program.run(["energy"] + words + ["--data-dir", missing]) == .failure)
        }
        #expect(directory.names == [])
    }

    // MARK: Changing

    @Test func setChangesTheEnergyAndNothingElse() async throws {
        try await save(records)
        #expect(try await energy("set", "a", "12.5", "--reason", "meter\nreading") == "")
        var expected = records
        expected[0].total.joules = 45_000
        expected[0].compensationJoules = 0
        #expect(try await saved == expected)
        let line = try #require(try audit.first)
        #expect(try audit.count == 1)
        #expect(line.action == "set")
        #expect(line.device == "a")
        #expect(line.uid == getuid())
        #expect(line.old?.watt_hours == 1.25)
        #expect(line.new.watt_hours == 12.5)
        #expect(line.new.metered_seconds == 7200)
        #expect(line.reason == "meter\nreading")
        #expect(line.time.hasSuffix("Z"))
    }

    @Test func resetStartsADeviceOver() async throws {
        try await save(records)
        #expect(try await energy("reset", "a") == "")
        #expect(try await saved == [EnergyRecord(key: records[0].key, total: EnergyTotal()), records[1]])
        #expect(try audit.map(\.action) == ["reset"])
        #expect(try audit[0].reason == nil)
    }

    @Test func whatIsSetToWhatItIsLeavesNoLine() async throws {
        try await save(records)
        try await energy("reset", "a")
        try await energy("reset", "a")
        #expect(try audit.count == 1)
    }

    @Test func anUnknownDeviceIsNotCreated() async throws {
        try await save(records)
        #expect(await status("set", "c", "1") == .failure)
        #expect(await status("reset", "c") == .failure)
        #expect(try await saved == records)
        #expect(!directory.names.contains("energy.audit.log"))
    }

    @Test func theDirectoryOfARunningExporterIsReadAndNotChanged() async throws {
        let store = try await FileEnergyStore.open(.init(directory: directory.path), logger: .silent)
        try await store.save(records)
        #expect(try await energy("list").contains("1.250"))
        try directory.write(try await energy("export"), to: "export.json")
        for arguments in [["set", "a", "1"], ["reset", "a"], ["import", directory.file("export.json")]] {
            let options = try OptionParser(EnergyCommand.spec).parse(arguments + ["--data-dir=\(directory.path)"])
            let error = await #expect(throws: EnergyStoreError.self) { try await EnergyCommand.output(options) }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("process \(getpid())") == true)
        }
        #expect(await status("set", "a", "1") == .failure)
        #expect(try await store.load() == records)
        #expect(!directory.names.contains("energy.audit.log"))
        await store.close()
    }

    // MARK: Export and import

    @Test func whatIsExportedIsImportedToTheLastDigit() async throws {
        try await save(records)
        let path = directory.file("export.json")
        #expect(try await energy("export", "--output", path) == "Wrote 2 devices to \(path).\n")
        try await save([])
        #expect(try await energy("import", path) == "Imported 2 devices from \(path), 2 of them with a change.\n")
        #expect(try await saved == records)
        #expect(try audit.count == 2)
        #expect(try audit[0].old == nil)
        // A second time nothing is different.
        #expect(try await energy("import", path) == "Imported 2 devices from \(path), 0 of them with a change.\n")
        #expect(try audit.count == 2)
    }

    @Test func importLeavesOtherDevicesAsTheyAre() async throws {
        try await save(records)
        let device = #"{"device":"a","joules":7,"metered_seconds":1,"gap_seconds":0,"later":"ignored"}"#
        try directory.write(Self.document(device), to: "x.json")
        try await energy("import", directory.file("x.json"))
        let expected = EnergyRecord(key: records[0].key, total: EnergyTotal(joules: 7, meteredSeconds: 1))
        #expect(try await saved == [expected, records[1]])
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"format":"something else","version":1,"devices":[]}"#,
        #"{"format":"winpower-exporter energy export","version":2,"devices":[]}"#,
        #"{"format":"winpower-exporter energy export","version":0,"devices":[]}"#,
        #"{"format":"winpower-exporter energy export","version":1}"#,
        document("7"),
        document(#"{"device":"a","joules":1,"metered_seconds":1}"#),
        document(#"{"joules":1,"metered_seconds":1,"gap_seconds":0}"#),
        document(#"{"device":"a","joules":"1","metered_seconds":1,"gap_seconds":0}"#),
        document(#"{"device":"a","joules":-1,"metered_seconds":1,"gap_seconds":0}"#),
        document(#"{"device":"a","joules":1e999,"metered_seconds":1,"gap_seconds":0}"#),
        document(#"{"device":"a","joules":null,"metered_seconds":1,"gap_seconds":0}"#),
        document(#"{"device":"a","joules":1,"metered_seconds":-1,"gap_seconds":0}"#),
        document(#"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":-1}"#),
        document(#"{"device":"a","joules":1,"compensation_joules":3,"metered_seconds":1,"gap_seconds":0}"#),
        document(#"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":0,"last_unix_ns":1.5}"#),
        document(#"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":0,"last_unix_ns":99999999999999999999}"#),
        document(#"{"device":"a","joules":1,"metered_seconds":1,"gap_seconds":0,"last_unix_ns":1,"last_watts":-1}"#),
        document(
            #"{"device":"z","joules":1,"metered_seconds":1,"gap_seconds":0}"#,
            #"{"device":"z","joules":2,"metered_seconds":1,"gap_seconds":0}"#
        ),
    ])
    func aFileThatIsNoSoundExportChangesNothing(_ text: String) async throws {
        try await save(records)
        try directory.write(text, to: "x.json")
        #expect(await status("import", directory.file("x.json")) == .failure)
        #expect(try await saved == records)
        #expect(!directory.names.contains("energy.audit.log"))
    }

    private static func document(_ devices: String...) -> String {
        #"{"format":"winpower-exporter energy export","version":1,"devices":[\#(devices.joined(separator: ","))]}"#
    }

    @Test func aFileThatIsNotThereChangesNothing() async throws {
        try await save(records)
        #expect(await status("import", directory.file("missing.json")) == .failure)
        #expect(await status("import", directory.path) == .failure)
        #expect(await status("export", "--output", directory.file("missing/x.json")) == .failure)
        #expect(try await saved == records)
    }

    // MARK: Arguments

    @Test(arguments: [
        [], ["destroy"], ["list", "a"], ["show"], ["show", "a", "b"], ["export", "x"], ["import"], ["set"],
        ["set", "a"],
        ["set", "a", "b", "c"], ["reset"], ["reset", "a", "b"], ["set", "a", "ten"], ["set", "a", "nan"],
        ["set", "a", "inf"], ["set", "a", "0x10"], ["set", "a", "1e999"], ["set", "a", "1e16"],
        ["set", "--", "a", "-1"],
        ["set", "a", ""], ["set", "a", "1 "], ["list", "--output", "x"], ["list", "--reason", "x"],
        ["export", "--format", "json"], ["set", "a", "1", "--format", "json"], ["list", "--format", "xml"],
        ["list", "--winpower.url", "x"], ["set", "a", "1", "--reason", String(repeating: "x", count: 1001)],
        ["list", "--storage.file-permissions", "7"],
    ])
    func badArgumentsEndWithStatusTwo(_ arguments: [String]) async throws {
        try await save(records)
        #expect(await Program.run(["energy", "--data-dir=\(directory.path)"] + arguments) == .usage)
        #expect(try await saved == records)
    }

    @Test func helpNamesEveryAction() {
        let help = EnergyCommand.spec.help(program: "wpexporter", width: 1000)
        for action in ["list", "show ID", "export", "import FILE", "set ID WH", "reset ID", "--data-dir"] {
            #expect(help.contains(action))
        }
    }
}
