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

@Suite struct LegacyTotalsTests {
    private let directory: TemporaryDirectory
    private let log = CapturingLogHandler()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() async throws -> FileEnergyStore {
        try await FileEnergyStore.open(.init(directory: directory.path), logger: log.logger)
    }

    private func adopted() async throws -> [String: EnergyRecord] {
        let store = try await open()
        let records = try await store.load()
        await store.close()
        return Dictionary(uniqueKeysWithValues: records.map { ($0.key.device.rawValue, $0) })
    }

    @Test func importsTheTextFilesOfTheGoExporterOnFirstStart() async throws {
        try directory.write("1750000000123\n1234.56\n", to: "e156e6cb-41cb-4b35-b0dd-869929186a5c.txt")
        try directory.write("1750000000000\r\n0.00\r\n\r\n", to: "zero.txt")
        try directory.write(" 1750000000000 \n 5 ", to: "ups 3.txt")
        let records = try await adopted()
        let expected = EnergyRecord(
            key: EnergyKey(device: DeviceID("e156e6cb-41cb-4b35-b0dd-869929186a5c")),
            total: EnergyTotal(joules: 1234.56 * 3600),
            lastSample: .init(wall: Date(timeIntervalSince1970: 1_750_000_000.123), watts: nil)
        )
        #expect(records[expected.key.device.rawValue] == expected)
        #expect(records["zero"]?.total == EnergyTotal())
        #expect(records["ups 3"]?.total.wattHours == 5)
        #expect(records.count == 3)
        #expect(log.records.last?.fields["devices"] == .int(3 as Int))
    }

    @Test(arguments: [(4096, true), (4097, false)])
    func limitsTheSizeOfATotal(_ size: Int, _ isImported: Bool) async throws {
        let text = "1\n5\n"
        try directory.write(text + String(repeating: "\n", count: size - text.utf8.count), to: "a.txt")
        #expect(try await adopted()["a"]?.total.wattHours == (isImported ? 5 : nil))
        #expect(log.messages(.warn).isEmpty == isImported)
    }

    /// On a file system that distinguishes them, like those of Linux.
    @Test func importsTwoFilesWithCanonicallyEquivalentNames() async throws {
        try directory.write("1750000000000\n100\n", to: "caf\u{E9}.txt")
        try directory.write("1750000000000\n300\n", to: "cafe\u{301}.txt")
        let store = try await open()
        let records = try await store.load()
        try #require(records.count == 2)
        #expect(records.map(\.total.wattHours) == [300, 100])
        try await store.save(records)
        await store.close()
        let reopened = try await open()
        #expect(try await reopened.load() == records)
        await reopened.close()
    }

    @Test func importsTextFilesOnceAndDoesNotChangeThem() async throws {
        let text = "1750000000123\n1234.56\n"
        try directory.write(text, to: "a.txt")
        // Until the first save, the import can be repeated.
        #expect(try await adopted() == (try await adopted()))
        let store = try await open()
        try await store.save(Records.state(1))
        await store.close()
        #expect(try directory.text(of: "a.txt") == text)
        try directory.write("1750000000123\n9999\n", to: "b.txt")
        #expect(try await open().load() == Records.state(1))
    }

    @Test(arguments: [
        "", "\n", "1750000000000", "1750000000000\n", "1750000000000\nabc\n", "abc\n5\n", "1750000000000\n-5\n",
        "1750000000000\nnan\n", "1750000000000\ninf\n", "1750000000000\n0x10\n", "1750000000000\n1e400\n",
        "1750000000000\n1e306\n", "-5\n5\n", "0\n5\n", "99999999999999999999\n5\n", "9223372036854775807\n5\n",
        "1750000000000.5\n5\n", "1750000000000\n5\nextra\n", "1750000000000 5\n", "1750000000000\n5 Wh\n", "\u{0}\u{0}",
        String(repeating: "1", count: 5000) + "\n5\n",
    ])
    func warnsAboutAndSkipsAnInvalidTotal(_ text: String) async throws {
        try directory.write(text, to: "bad.txt")
        try directory.write("1750000000000\n5\n", to: "good.txt")
        #expect(try await adopted().keys.sorted() == ["good"])
        let warnings = log.records.filter { $0.level == .warn }
        #expect(warnings.count == 1)
        #expect(warnings.first?.fields["path"] == .string(directory.file("bad.txt")))
        #expect(try directory.text(of: "bad.txt") == text)
    }

    @Test func ignoresOtherFiles() async throws {
        try directory.write("1750000000000\n5\n", to: "notes.md")
        try directory.write("1750000000000\n5\n", to: ".txt")
        try directory.write("1750000000000\n5\n", to: "a.txt.bak")
        #expect(try await adopted().isEmpty)
        #expect(log.messages(.warn).isEmpty)
    }

    @Test func skipsADirectoryNamedLikeATotal() async throws {
        try FileManager.default.createDirectory(atPath: directory.file("dir.txt"), withIntermediateDirectories: false)
        #expect(try await adopted().isEmpty)
        #expect(log.messages(.warn).count == 1)
    }

    @Test func anUnreadableTotalIsNotZero() async throws {
        let memory = MemoryFileSystem(["data/a.txt": Array("1750000000000\n5\n".utf8)])
        let fileSystem = FaultyFileSystem(memory)
        let configuration = FileEnergyStore.Configuration(directory: "data")
        _ = try await FileEnergyStore.peek(configuration, fileSystem: fileSystem, logger: .silent)
        let read = try #require(fileSystem.calls.lastIndex(of: "open"))
        fileSystem.inject(.fails(13), at: read..<read + 1)
        let error = await #expect(throws: EnergyStoreError.self) {
            try await FileEnergyStore.peek(configuration, fileSystem: fileSystem, logger: .silent)
        }
        #expect(error?.code == .inaccessible)
        #expect(error?.message.contains("data/a.txt") == true)
    }

    @Test(arguments: [(99_999, 0), (100_000, 1)])
    func readsADirectoryUpToTheLimit(_ count: Int, _ warnings: Int) throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<count).map { ("/data/file-\($0)", [UInt8]()) })
        let totals = LegacyTotals(
            fileSystem: MemoryFileSystem(files),
            paths: EnergyPaths(directory: "/data"),
            logger: log.logger
        )
        #expect(try totals.read() == [])
        #expect(log.messages(.warn).count == warnings)
    }
}
