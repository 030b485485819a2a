// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPModel
@testable import WPStorage
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A store whose files were damaged, removed or replaced.
@Suite struct StoreDamageTests {
    private let directory: TemporaryDirectory
    private let log = CapturingLogHandler()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() async throws -> FileEnergyStore {
        try await FileEnergyStore.open(.init(directory: directory.path), logger: log.logger)
    }

    @Test func reportsAndRenamesADamagedFileAndUsesThePreviousState() async throws {
        var store = try await open()
        for round in 1...3 {
            // The last saved file.
            let name = round == 2 ? "energy.a.jsonl" : "energy.b.jsonl"
            try await store.save(Records.state(round * 10))
            try await store.save(Records.state(round * 10 + 1))
            await store.close()
            try directory.write("damage \(round)", to: name)
            store = try await open()
            #expect(try await store.load() == Records.state(round * 10))
            #expect(try directory.text(of: "energy.damaged-\(round).jsonl") == "damage \(round)")
            let report = try #require(log.records.last)
            #expect(report.level == .error)
            #expect(report.fields["path"] == .string(directory.file(name)))
            #expect(report.fields["kept_as"] == .string(directory.file("energy.damaged-\(round).jsonl")))
            #expect(report.fields["damage"] == "has no complete header line")
        }
        try await store.save(Records.state(99))
        await store.close()
        #expect(try await open().load() == Records.state(99))
    }

    @Test func reportsDamageToTheOlderFileWithoutLoss() async throws {
        var store = try await open()
        for state in 1...3 { try await store.save(Records.state(state)) }
        await store.close()
        var bytes = try directory.bytes(of: "energy.b.jsonl")
        bytes[bytes.count / 2] ^= 1
        try directory.write(String(decoding: bytes, as: UTF8.self), to: "energy.b.jsonl")
        store = try await open()
        #expect(try await store.load() == Records.state(3))
        #expect(log.messages(.warn).count == 1)
        #expect(log.messages(.error).isEmpty)
        #expect(try directory.bytes(of: "energy.damaged-1.jsonl") == bytes)
        try await store.save(Records.state(4))
        #expect(try await store.load() == Records.state(4))
    }

    @Test(arguments: [1, 2, 3]) func reportsAMissingFileAfterTheFirstSave(_ saves: Int) async throws {
        var store = try await open()
        for state in 1...saves { try await store.save(Records.state(state)) }
        await store.close()
        if saves > 1 { try removeOlder(saves) }
        store = try await open()
        #expect(try await store.load() == Records.state(saves))
        let message = "One of the two energy files is missing; the other one is used"
        #expect(log.messages(.info).count { $0 == message } == (saves == 1 ? 0 : 1))
        await store.close()
    }

    /// Removes the older file.
    private func removeOlder(_ saves: Int) throws {
        let path = directory.file(saves % 2 == 0 ? "energy.a.jsonl" : "energy.b.jsonl")
        try POSIXFileSystem().remove(path)
    }

    @Test func peekingReportsADamagedFileAndDoesNotRenameIt() async throws {
        let store = try await open()
        for state in 1...2 { try await store.save(Records.state(state)) }
        await store.close()
        try directory.write("damage", to: "energy.b.jsonl")
        let configuration = FileEnergyStore.Configuration(directory: directory.path)
        #expect(try await FileEnergyStore.peek(configuration, logger: log.logger) == Records.state(1))
        #expect(log.messages(.warn).count == 1)
        #expect(try directory.text(of: "energy.b.jsonl") == "damage")
    }

    @Test func aRestartAfterDamageFindsThePreviousState() async throws {
        var store = try await open()
        try await store.save(Records.state(1))
        try await store.save(Records.state(2))
        await store.close()
        try directory.write("damage", to: "energy.b.jsonl")
        for _ in 0..<3 {
            store = try await open()
            #expect(try await store.load() == Records.state(1))
            await store.close()
        }
        #expect(directory.names.filter { $0.contains("damaged") }.count == 1)
    }

    @Test func withoutAValidFileItKeepsFailingAndChangesNothing() async throws {
        let store = try await open()
        try await store.save(Records.state(1))
        await store.close()
        try directory.write("damage", to: "energy.a.jsonl")
        try directory.write("5\n1.5\n", to: "ups-1.txt")
        for other in [nil, "", "more damage"] {
            if let other { try directory.write(other, to: "energy.b.jsonl") }
            for _ in 0..<2 {
                let error = await #expect(throws: EnergyStoreError.self) { try await open() }
                #expect(error?.code == .damaged)
                #expect(error?.message.contains(directory.file("energy.a.jsonl")) == true)
                #expect(error?.hint == .restoreBackup)
                #expect(try directory.text(of: "energy.a.jsonl") == "damage")
            }
        }
    }

    @Test func aDamagedFileWithoutTheOtherIsNotANewDirectory() async throws {
        try directory.write("damage", to: "energy.b.jsonl")
        let error = await #expect(throws: EnergyStoreError.self) { try await open() }
        #expect(error?.code == .damaged)
    }

    @Test func aRemovedFileFallsBackToThePreviousState() async throws {
        var store = try await open()
        for state in 1...3 { try await store.save(Records.state(state)) }
        await store.close()
        #expect(unlink(directory.file("energy.a.jsonl")) == 0)
        store = try await open()
        #expect(try await store.load() == Records.state(2))
        #expect(log.messages(.info).contains { $0.contains("missing") })
    }

    @Test func limitsTheNumberOfDamagedFiles() async throws {
        var store = try await open()
        try await store.save(Records.state(1))
        try await store.save(Records.state(2))
        await store.close()
        for number in 1...100 { try directory.write("old", to: "energy.damaged-\(number).jsonl") }
        try directory.write("damage", to: "energy.b.jsonl")
        let error = await #expect(throws: EnergyStoreError.self) { try await open() }
        #expect(error?.code == .damaged)
        #expect(try directory.text(of: "energy.damaged-100.jsonl") == "old")
        #expect(unlink(directory.file("energy.damaged-100.jsonl")) == 0)
        store = try await open()
        #expect(try await store.load() == Records.state(1))
        #expect(try directory.text(of: "energy.damaged-100.jsonl") == "damage")
    }

    @Test func rejectsANewerVersionAndKeepsIt() async throws {
        let newer =
            StateFile.line(#"{"format":"winpower-exporter energy","version":2,"shape":"unknown""#)
            + "what a later version writes\n"
        for name in ["energy.a.jsonl", "energy.b.jsonl"] {
            try directory.write(newer, to: name)
            for _ in 0..<2 {
                let error = await #expect(throws: EnergyStoreError.self) { try await open() }
                #expect(error?.code == .newerFormat)
                #expect(error?.hint == .runNewerProgram)
                #expect(error?.message.contains("version 2") == true)
                #expect(try directory.text(of: name) == newer)
            }
            try directory.write("damage", to: "energy.a.jsonl")
        }
    }

    @Test func doesNotOverwriteANewerVersionBesideAValidFile() async throws {
        let store = try await open()
        for state in 1...2 { try await store.save(Records.state(state)) }
        await store.close()
        let newer = StateFile.line(#"{"format":"winpower-exporter energy","version":2,"generation":3"#)
        try directory.write(newer, to: "energy.a.jsonl")
        let error = await #expect(throws: EnergyStoreError.self) { try await open() }
        #expect(error?.code == .newerFormat)
        #expect(try directory.text(of: "energy.a.jsonl") == newer)
    }

    @Test func removesALeftoverTemporaryFile() async throws {
        try directory.write("half a sta", to: "energy.jsonl.tmp")
        let store = try await open()
        #expect(directory.names == ["energy.lock"])
        try await store.save(Records.state(1))
    }

    @Test func rejectsAnythingButARegularFile() async throws {
        #expect(mkfifo(directory.file("energy.a.jsonl"), 0o600) == 0)
        let error = await #expect(throws: EnergyStoreError.self) { try await open() }
        #expect(error?.code == .inaccessible)
    }

    @Test func doesNotReadAnOversizedFile() async throws {
        try directory.write("", to: "energy.a.jsonl")
        #expect(truncate(directory.file("energy.a.jsonl"), 1 << 40) == 0)
        let error = await #expect(throws: EnergyStoreError.self) { try await open() }
        #expect(error?.code == .io)
    }
}
