// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPModel
import WPTestKit

@testable import WPStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Directories without their two state files.
@Suite struct LostStateTests {
    private let directory: TemporaryDirectory
    private let log = CapturingLogHandler()

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("1750000000000\n5\n", to: "a.txt")
    }

    private func open() async throws -> FileEnergyStore {
        try await FileEnergyStore.open(.init(directory: directory.path), logger: log.logger)
    }

    private func peek() async throws -> [EnergyRecord] {
        try await FileEnergyStore.peek(.init(directory: directory.path), logger: .silent)
    }

    private func loseState() {
        for name in ["energy.a.jsonl", "energy.b.jsonl"] { _ = unlink(directory.file(name)) }
    }

    @Test(arguments: [1, 2, 3])
    func doesNotReplaceLostTotalsWithTextFiles(_ saves: Int) async throws {
        let store = try await open()
        for state in 1...saves { try await store.save(Records.state(state)) }
        await store.close()
        loseState()
        for _ in 0..<3 {
            #expect(try await peek().isEmpty)
            let store = try await open()
            #expect(try await store.load().isEmpty)
            #expect(try await store.legacyTotals().count == 1)
            await store.close()
        }
        let errors = log.records.filter { $0.level == .error }
        #expect(errors.count == 3)
        #expect(errors.first?.fields["evidence"] == .string(directory.file("energy.lock")))
        try await open().save(Records.state(9))
        #expect(log.messages(.error).count == 4)
        #expect(try await open().load() == Records.state(9))
        #expect(log.messages(.error).count == 4)
        // The first save after the loss has no second file.
        #expect(!log.messages(.info).contains { $0.contains("missing") })
    }

    @Test func aProcessKilledAfterItsFirstSaveLeavesEvidence() async throws {
        let store = try await open()
        try await store.save(Records.state(1))
        let lock = try directory.text(of: "energy.lock")
        await store.close()
        // As left by a kill.
        try directory.write(lock, to: "energy.lock")
        loseState()
        #expect(try await open().load().isEmpty)
        #expect(log.messages(.error).count == 1)
    }

    @Test(arguments: [
        ("energy.lock", ""), ("energy.lock", "123\n"), ("energy.damaged-7.jsonl", "x"), ("energy.audit.log", "{}\n"),
        ("energy.audit.previous.log", ""),
    ])
    func anyTraceOfTotalsIsEvidence(name: String, content: String) async throws {
        try directory.write(content, to: name)
        #expect(try await peek().isEmpty)
        #expect(try await open().load().isEmpty)
        #expect(log.messages(.error).count == 1)
        #expect(log.records.first { $0.level == .error }?.fields["evidence"] == .string(directory.file(name)))
    }

    @Test func aStartWithoutSavesDoesNotCountAsUse() async throws {
        for _ in 0..<3 {
            #expect(try await peek().count == 1)
            let store = try await open()
            #expect(try await store.load().count == 1)
            #expect(try await peek().count == 1)
            // The mark is never overwritten, so the number before it has a fixed width.
            let padding = String(repeating: " ", count: 12 - "\(getpid())".count)
            #expect(try directory.text(of: "energy.lock") == "\(getpid())\(padding)\nnew\n")
            await store.close()
            #expect(try directory.text(of: "energy.lock") == String(repeating: " ", count: 12) + "\nnew\n")
        }
        #expect(log.messages(.error).isEmpty)
    }

    @Test func aStartKilledBeforeSavingDoesNotCountAsUse() async throws {
        let store = try await open()
        let lock = try directory.text(of: "energy.lock")
        await store.close()
        try directory.write(lock, to: "energy.lock")
        #expect(try await open().load().count == 1)
        #expect(log.messages(.error).isEmpty)
    }

    @Test func aStateWithoutALockFileIsEvidence() async throws {
        var store = try await open()
        try await store.save(Records.state(1))
        await store.close()
        #expect(unlink(directory.file("energy.lock")) == 0)
        store = try await open()
        await store.close()
        loseState()
        #expect(try await open().load().isEmpty)
        #expect(log.messages(.error).count == 1)
    }

    @Test func otherFilesAreNotEvidence() async throws {
        for name in ["energy.damaged", "energy.jsonl.tmp", "notes.md", "energy.damaged-.txt"] {
            try directory.write("1750000000000\n5\n", to: name)
        }
        #expect(try await open().load().count == 2)
        #expect(log.messages(.error).isEmpty)
    }
}
