// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine
import WPConfig
@testable import WPExporter
import WPLogging
import WPModel
@testable import WPProgram
import WPSettings
import WPStorage
import WPTestKit

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
            lastSample: .init(wall: Date(timeIntervalSince1970: 1_750_000_000.25), watts: 195.5),
            name: "Rack 1",
            typeCode: 1
        ),
        EnergyRecord(key: EnergyKey(device: DeviceID("b,\"\u{1b}[2J\"")), total: EnergyTotal(joules: 0.1)),
    ]

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func rejectsAMoveBeyondTheMaximumTotal() async throws {
        var large = records
        for index in large.indices {
            large[index].total.joules = EnergyTotal.largestJoules
            large[index].compensationJoules = 0
        }
        try await save(large)
        let failure = await #expect(throws: EnergyTotalsFailure.self) {
            try await energy("move", "a", large[1].key.device.rawValue)
        }
        #expect(failure?.description.contains("nothing was changed") == true)
        #expect(try await saved == large)
        await #expect(throws: EnergyTotalsFailure.self) { try await energy("move", "a", "") }
        #expect(try await saved == large)
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

    private func status(_ arguments: String...) async -> WPProgram.ExitStatus {
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
        var new: Total?
        var other_device: String?
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
        #expect(lines[0].split(separator: " ").prefix(3) == ["DEVICE", "NAME", "ENERGY"])
        #expect(
            lines[1].split(separator: " ") == [
                "a", "Rack", "1", "1.250", "2.00", "0.03", "2025-06-15T15:06:40Z", "195.5",
            ]
        )
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
                "last_watts":195.5,"metered_seconds":7200,"name":"Rack 1","source":"","unverified_seconds":0,"watt_hours":1.25},{"device":"b,\\"\\u001b[2J\\"",\
                "gap_seconds":0,"joules":0.1,"metered_seconds":0,"source":"","unverified_seconds":0,"watt_hours":\(0.1 / 3600)}]}

                """
        )
        #expect(
            try await energy("list", "--format", "csv")
                == "source,device,watt_hours,joules,metered_seconds,gap_seconds,last_sample_time,last_watts,name,unverified_seconds\r\n"
                + ",a,1.25,4500.0,7200.0,90.0,2025-06-15T15:06:40.250Z,195.5,Rack 1,0.0\r\n"
                + ",\"b,\"\"\\u{1b}[2J\"\"\",\(0.1 / 3600),0.1,0.0,0.0,,,,0.0\r\n"
        )
    }

    @Test func showPrintsOneDeviceOnly() async throws {
        try await save(records)
        #expect(try await energy("show", "a").split(separator: "\n").count == 2)
        #expect(try await energy("show", "a", "--format=json").contains(#""watt_hours":1.25"#))
        await #expect(throws: EnergyTotalsFailure.self) { try await energy("show", "nobody") }
        #expect(await status("show", "nobody") == .failure)
    }

    @Test func acceptsAnEmptyDirectoryAndRejectsAMissingOne() async throws {
        #expect(try await energy("list") == "There are no energy totals yet.\n")
        #expect(directory.names == [])
        let missing = directory.file("missing")
        for words in [
            ["list"], ["show", "a"], ["export"], ["set", "a", "1"], ["reset", "a"], ["remove", "a"],
            ["move", "a", "b"], ["adopt"],
        ] {
            #expect(await Program.run(["energy"] + words + ["--data-dir", missing]) == .failure)
        }
        #expect(directory.names == [])
    }

    @Test func importCreatesTheDirectory() async throws {
        let text = String(decoding: try EnergyDocument.encode([records[0]]), as: UTF8.self)
        let path = try directory.write(text, to: "export.json")
        let data = directory.file("data")
        #expect(await Program.run(["energy", "import", path, "--data-dir", data]) == .success)
        #expect(try await FileEnergyStore.peek(.init(directory: data), logger: .silent) == [records[0]])
    }

    // MARK: Changing

    @Test func setChangesTheEnergyAndStartsANewInterval() async throws {
        try await save(records)
        #expect(try await energy("set", "a", "12.5", "--reason", "meter\nreading") == "")
        var expected = records
        expected[0].total.joules = 45_000
        expected[0].compensationJoules = 0
        // The new figure includes the energy consumed until now; a restart must not add it again.
        expected[0].lastSample = nil
        #expect(try await saved == expected)
        let line = try #require(try audit.first)
        #expect(try audit.count == 1)
        #expect(line.action == "set")
        #expect(line.device == "a")
        #expect(line.uid == getuid())
        #expect(line.old?.watt_hours == 1.25)
        #expect(line.new?.watt_hours == 12.5)
        #expect(line.new?.metered_seconds == 7200)
        #expect(line.reason == "meter\nreading")
        #expect(line.time.hasSuffix("Z"))
    }

    @Test func resetStartsADeviceOver() async throws {
        try await save(records)
        #expect(try await energy("reset", "a") == "")
        let expected = EnergyRecord(key: records[0].key, total: EnergyTotal(), name: "Rack 1", typeCode: 1)
        #expect(try await saved == [expected, records[1]])
        #expect(try audit.map(\.action) == ["reset"])
        #expect(try audit[0].reason == nil)
    }

    @Test func removeDeletesADevice() async throws {
        try await save(records)
        #expect(try await energy("remove", "a", "--reason", "sold") == "")
        #expect(try await saved == [records[1]])
        let line = try #require(try audit.first)
        #expect(try audit.count == 1)
        #expect(line.action == "remove")
        #expect(line.device == "a")
        #expect(line.old?.watt_hours == 1.25)
        #expect(line.new == nil)
        #expect(line.reason == "sold")
    }

    @Test func moveAddsTheTotalOfADeviceToItsNewIdentifier() async throws {
        var new = EnergyRecord(
            key: EnergyKey(device: DeviceID("new")),
            total: EnergyTotal(joules: 0.1, meteredSeconds: 10, gapSeconds: 1, unverifiedSeconds: 2),
            lastSample: .init(wall: Date(timeIntervalSince1970: 1_760_000_000), watts: 7),
            name: "Rack 1"
        )
        try await save([records[0], new])
        #expect(try await energy("move", "a", "new") == "")
        new.total = EnergyTotal(joules: 4500.1, meteredSeconds: 7210, gapSeconds: 91, unverifiedSeconds: 2)
        let joined = try #require(try await saved.first)
        #expect(try await saved.count == 1)
        #expect(joined.total == new.total)
        #expect(joined.lastSample == new.lastSample)
        // 4500 + 0.1 + 1e-14, whose last digits exceed the precision of a `Double`.
        #expect(abs(joined.compensationJoules - (0.1 - (4500.1 - 4500)) - 1e-14) < 1e-18)
        #expect(try audit.map(\.device) == ["a", "new"])
        #expect(try audit.map(\.other_device) == ["new", "a"])
        #expect(try audit.map { $0.new?.metered_seconds } == [nil, 7210])
    }

    @Test func moveToADeviceWithoutATotalRenames() async throws {
        try await save(records)
        try await energy("move", "a", "new")
        var expected = records[0]
        expected.key = EnergyKey(device: DeviceID("new"))
        #expect(try await saved == [records[1], expected])
        #expect(await status("move", "new", "new") == .failure)
        #expect(await status("move", "a", "new") == .failure)
        #expect(await status("remove", "a") == .failure)
        #expect(try audit.count == 2)
    }

    @Test func adoptImportsTheTextFilesOnce() async throws {
        for (name, wattHours) in [("a", "5"), ("b", "7"), ("c", "0.5")] {
            try directory.write("1750000000000\n\(wattHours)\n", to: "\(name).txt")
        }
        try directory.write("", to: "energy.lock")
        try await save(
            ["b", "c"].map { EnergyRecord(key: EnergyKey(device: DeviceID($0)), total: EnergyTotal(joules: 3600)) }
        )
        #expect(
            try await energy("adopt", "--reason", "disk lost")
                == "Adopted the totals of 2 devices from text files of the Go exporter. "
                + "1 devices already had totals at least as large and were not changed.\n"
        )
        #expect(try await saved.map(\.total.wattHours) == [5, 8, 1])
        #expect(try audit.map(\.device) == ["a", "b"])
        #expect(try await energy("adopt").hasPrefix("Adopted the totals of 0 devices"))
        #expect(try await saved.map(\.total.wattHours) == [5, 8, 1])
        #expect(try audit.count == 2)
    }

    @Test(arguments: [
        (["set", "a", "1"], true), (["set", "a", "1.25"], false), (["set", "a", "2"], false), (["reset", "a"], true),
        (["remove", "a"], true),
    ])
    func warnsAboutADecreasingTotal(_ words: [String], warns: Bool) async throws {
        try await save(records)
        let log = CapturingLogHandler()
        let settings = try ConfigOption.load(
            try OptionParser(EnergyCommand.spec).parse(words + ["--data-dir=\(directory.path)"]),
            requireWinPower: false
        ).settings.storage
        let totals = EnergyTotals(settings, logger: log.logger)
        switch words[0] {
        case "set":
            let joules = try #require(Double(words[2])) * 3600
            try await totals.change(DeviceID("a"), "set", reason: nil) { $0.joules = joules }
        case "reset": try await totals.change(DeviceID("a"), "reset", reason: nil) { $0 = EnergyTotal() }
        default: try await totals.remove(DeviceID("a"), reason: nil)
        }
        #expect(log.messages(.warn).count == (warns ? 1 : 0))
        #expect(log.records.first?.fields["old_watt_hours"] == (warns ? .double(1.25) : nil))
    }

    @Test func warnsAboutImportingAnOlderBackup() async throws {
        try await save(records)
        let settings = try ConfigOption.load(
            try OptionParser(EnergyCommand.spec).parse(["list", "--data-dir=\(directory.path)"]),
            requireWinPower: false
        ).settings.storage
        let log = CapturingLogHandler()
        var older = records
        older[0].total.joules = 3600
        #expect(try await EnergyTotals(settings, logger: log.logger).replace(with: older, reason: nil) == 1)
        #expect(log.messages(.warn).count == 1)
    }

    @Test func writesNoAuditEntryWithoutAChange() async throws {
        try await save(records)
        try await energy("reset", "a")
        try await energy("reset", "a")
        #expect(try audit.count == 1)
    }

    @Test func doesNotCreateAnUnknownDevice() async throws {
        try await save(records)
        #expect(await status("set", "c", "1") == .failure)
        #expect(await status("reset", "c") == .failure)
        #expect(try await saved == records)
        #expect(!directory.names.contains("energy.audit.log"))
    }

    @Test func readsButDoesNotChangeTheDirectoryOfARunningExporter() async throws {
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

    @Test func importsExportedTotalsExactly() async throws {
        try await save(records)
        let path = directory.file("export.json")
        #expect(try await energy("export", "--output", path) == "Wrote 2 devices to \(path).\n")
        try await save([])
        #expect(try await energy("import", path) == "Imported 2 devices from \(path); 2 of them changed.\n")
        #expect(try await saved == records)
        #expect(try audit.count == 2)
        #expect(try audit[0].old == nil)
        // Importing again changes nothing.
        #expect(try await energy("import", path) == "Imported 2 devices from \(path); 0 of them changed.\n")
        #expect(try audit.count == 2)
    }

    @Test func importKeepsOtherDevices() async throws {
        try await save(records)
        let device = #"{"device":"a","joules":7,"metered_seconds":1,"gap_seconds":0}"#
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
    func rejectsAnInvalidExport(_ text: String) async throws {
        try await save(records)
        try directory.write(text, to: "x.json")
        #expect(await status("import", directory.file("x.json")) == .failure)
        #expect(try await saved == records)
        #expect(!directory.names.contains("energy.audit.log"))
    }

    private static func document(_ devices: String...) -> String {
        #"{"format":"winpower-exporter energy export","version":1,"devices":[\#(devices.joined(separator: ","))]}"#
    }

    @Test func rejectsAMissingFile() async throws {
        try await save(records)
        #expect(await status("import", directory.file("missing.json")) == .failure)
        #expect(await status("import", directory.path) == .failure)
        #expect(await status("export", "--output", directory.file("missing/x.json")) == .failure)
        #expect(try await saved == records)
    }

    // MARK: Arguments

    @Test(arguments: [
        [], ["destroy"], ["list", "a"], ["show"], ["show", "a", "b"], ["export", "x"], ["import"], ["set"],
        ["set", "a"], ["remove"], ["remove", "a", "b"], ["move", "a"], ["move", "a", "b", "c"], ["adopt", "a"],
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
        for action in [
            "list", "show ID", "export", "import FILE", "set ID WH", "reset ID", "remove ID", "move OLD NEW", "adopt",
            "--data-dir",
        ] {
            #expect(help.contains(action))
        }
    }
}
