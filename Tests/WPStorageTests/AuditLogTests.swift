// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPModel
import WPTestKit

@testable import WPStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.serialized) struct AuditLogTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func entry(_ device: String = "ups-0", reason: String? = nil) -> EnergyAuditEntry {
        EnergyAuditEntry(
            time: Date(timeIntervalSince1970: 1_750_000_000),
            action: "set",
            actor: .init(uid: 7, name: "ops"),
            key: EnergyKey(device: DeviceID(device)),
            old: EnergyTotal(joules: 3600),
            new: EnergyTotal(joules: 7200),
            reason: reason
        )
    }

    private func open(_ fileSystem: any FileSystem = POSIXFileSystem()) async throws -> FileEnergyStore {
        try await FileEnergyStore.open(.init(directory: directory.path), fileSystem: fileSystem, logger: .silent)
    }

    private var lines: [Substring] {
        get throws {
            try directory.text(of: "energy.audit.log").split(separator: "\n", omittingEmptySubsequences: false)
        }
    }

    @Test func anEntryRecordsWhoChangedWhatAndWhen() async throws {
        let store = try await open()
        try await store.amend(Records.state(2), recording: [entry(reason: "two\nlines \"and\" more")])
        #expect(
            try directory.text(of: "energy.audit.log") == """
                {"action":"set","device":"ups-0",\
                "new":{"gap_seconds":0,"joules":7200,"metered_seconds":0,"watt_hours":2},\
                "old":{"gap_seconds":0,"joules":3600,"metered_seconds":0,"watt_hours":1},\
                "reason":"two\\nlines \\"and\\" more","source":"","time":"2025-06-15T15:06:40.000Z","uid":7,"user":"ops"}

                """
        )
        #expect(try await store.load() == Records.state(2))
    }

    @Test func entriesAreOnlyAppended() async throws {
        let store = try await open()
        for serial in 1...5 { try await store.amend(Records.state(serial), recording: [entry("\(serial)")]) }
        #expect(try lines.count == 6)
        #expect(try lines[0].contains(#""device":"1""#) && lines[4].contains(#""device":"5""#))
    }

    @Test func aTruncatedLineDoesNotAbsorbTheNext() async throws {
        try directory.write(#"{"action":"se"#, to: "energy.audit.log")
        let store = try await open()
        try await store.amend(Records.state(1), recording: [entry()])
        #expect(try lines.count == 3)
        #expect(try lines[1].hasPrefix(#"{"action":"set","#))
    }

    @Test(arguments: [((1 << 20) - 1, false), (1 << 20, true)])
    func rotatesALogOfOneMebibyte(_ size: Int, _ isRotated: Bool) async throws {
        let old = String(repeating: "x", count: size - 1) + "\n"
        try directory.write(old, to: "energy.audit.log")
        let store = try await open()
        try await store.amend(Records.state(1), recording: [entry()])
        #expect(directory.names.contains("energy.audit.previous.log") == isRotated)
        #expect(try lines.count == (isRotated ? 2 : 3))
        if isRotated { #expect(try directory.text(of: "energy.audit.previous.log") == old) }
    }

    @Test func recordsNothingWithoutAChange() async throws {
        try await open().amend(Records.state(1), recording: [])
        #expect(!directory.names.contains("energy.audit.log"))
    }

    @Test func keepsTwoFilesForAnyNumberOfChanges() async throws {
        let store = try await open()
        let text = String(repeating: "x", count: 1 << 18)
        for serial in 1...20 {
            try await store.amend(Records.state(serial), recording: [entry("\(serial)", reason: text)])
        }
        let names = directory.names.filter { $0.contains("audit") }
        #expect(names == ["energy.audit.log", "energy.audit.previous.log"])
        for name in names { #expect(try directory.bytes(of: name).count < AuditLog.rotationSize + (1 << 19)) }
        #expect(try lines.dropLast().last?.contains(#""device":"20""#) == true)
    }

    /// Every change has an entry, and after a failure the state is either the old or the new one.
    @Test(arguments: Fault.all)
    func recordsEveryChange(_ fault: Fault) async throws {
        var number = 0
        while true {
            let directory = try TemporaryDirectory()
            let fileSystem = FaultyFileSystem(POSIXFileSystem())
            let configuration = FileEnergyStore.Configuration(directory: directory.path)
            let store = try await FileEnergyStore.open(configuration, fileSystem: fileSystem, logger: .silent)
            try await store.save(Records.state(1))
            fileSystem.inject(fault, at: number..<number + 1)
            let failure: (any Error)?
            do {
                try await store.amend(Records.state(2), recording: [entry()])
                failure = nil
            } catch {
                failure = error
            }
            let comment: Comment = "\(fault.testDescription) at call \(number)"
            let calls = fileSystem.calls.count
            fileSystem.inject(nil, at: 0..<0)
            let serial = Records.serial(of: try await store.load())
            let audit = (try? directory.text(of: "energy.audit.log")) ?? ""
            if failure == nil { #expect(serial == 2, comment) }
            if serial == 2 { #expect(audit.contains(#""joules":7200"#), comment) }
            if serial == 1 { #expect(failure is EnergyStoreError, comment) }
            await store.close()
            guard number < calls else { break }
            number += 1
        }
        #expect(number > 10)
    }

    @Test func recordsAFailedChange() async throws {
        let fileSystem = FaultyFileSystem(POSIXFileSystem())
        let store = try await open(fileSystem)
        try await store.save(Records.state(1))
        try await store.amend(Records.state(2), recording: [])
        fileSystem.inject(nil, at: 0..<0)
        try await store.amend(Records.state(3), recording: [entry()])
        // The first write is to the audit log, the second is the save.
        let writes = fileSystem.calls.indices.filter { fileSystem.calls[$0] == "write" }
        let position = try #require(writes.dropFirst().first)
        fileSystem.inject(.fails(28), at: position..<position + 1)
        let error = await #expect(throws: EnergyStoreError.self) {
            try await store.amend(Records.state(4), recording: [entry()])
        }
        #expect(error?.code == .full)
        #expect(try await store.load() == Records.state(3))
        #expect(try lines.count == 4)
        #expect(try lines[2].contains(#""failure":"The energy totals could not be saved"#))
    }

    @Test func doesNotRecordARejectedChange() async throws {
        let store = try await open()
        var records = Records.state(1)
        records[0].total.joules = -1
        await #expect(throws: EnergyStoreError.self) { try await store.amend(records, recording: [entry()]) }
        #expect(!directory.names.contains("energy.audit.log"))
        await store.close()
        await #expect(throws: EnergyStoreError.self) { try await store.amend(Records.state(1), recording: [entry()]) }
        #expect(!directory.names.contains("energy.audit.log"))
    }
}
