// SPDX-License-Identifier: MIT

import Testing
import WPMetrics
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Expositions in files, for node_exporter's textfile collector.
struct ExpositionFileTests {
    private let directory: TemporaryDirectory
    private let registry = Registry()
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("backup.prom")
        try registry.gauge(name: "backup_saved_bytes", help: "Saved.").set(12.5)
    }

    private static let exposition = """
        # HELP backup_saved_bytes Saved.
        # TYPE backup_saved_bytes gauge
        backup_saved_bytes 12.5

        """

    @Test func writesAndReplacesTheFile() async throws {
        try await registry.writeExposition(toFile: path)
        #expect(try directory.text(of: "backup.prom") == Self.exposition)
        try directory.write("something else, and longer than an exposition " + path, to: "backup.prom")
        try await registry.writeExposition(toFile: path)
        #expect(try directory.text(of: "backup.prom") == Self.exposition)
        #expect(directory.names == ["backup.prom"])
    }

    /// node_exporter runs as another user.
    @Test func theFileIsWorldReadable() async throws {
        try await registry.writeExposition(toFile: path)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o644)
    }

    /// A reader that has the old file open keeps reading it.
    @Test func replacesTheFileAtomically() async throws {
        try directory.write("old", to: "backup.prom")
        let reader = open(path, O_RDONLY)
        defer { _ = close(reader) }
        try await registry.writeExposition(toFile: path)
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "old")
    }

    private struct Broken: ImmediateCollector {
        var descriptors: [MetricDescriptor] { [] }
        func collectNow() throws -> [MetricFamily] { throw CancellationError() }
    }

    @Test func writesNothingIfACollectorFails() async throws {
        try directory.write("old", to: "backup.prom")
        try registry.register(Broken())
        let error = await #expect(throws: ExpositionFileError.self) { try await registry.writeExposition(toFile: path) }
        #expect(error?.code == .invalidMetrics)
        #expect(error?.path == path)
        #expect(error?.description.hasPrefix("\(path) was not written: Broken") == true)
        #expect(try directory.text(of: "backup.prom") == "old")
        #expect(directory.names == ["backup.prom"])
    }

    private struct Stamped: ImmediateCollector {
        let family: MetricFamily
        var descriptors: [MetricDescriptor] { [family.descriptor] }
        func collectNow() -> [MetricFamily] { [family] }
    }

    @Test func rejectsATimestamp() async throws {
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        try registry.register(Stamped(family: MetricFamily(descriptor, [Metric(value: 1, timestamp: 2)])))
        let error = await #expect(throws: ExpositionFileError.self) { try await registry.writeExposition(toFile: path) }
        #expect(error?.code == .invalidMetrics)
        #expect(error?.description.contains("x has a timestamp") == true)
        #expect(directory.names.isEmpty)
    }

    @Test func reportsSystemErrors() async throws {
        let missing = directory.file("not-there/backup.prom")
        var error = await #expect(throws: ExpositionFileError.self) {
            try await registry.writeExposition(toFile: missing)
        }
        #expect(error?.code == .system(ENOENT))
        #expect(error?.description.contains(missing) == true)
        // A directory cannot be replaced by a file; the temporary file is removed.
        #expect(mkdir(path, 0o755) == 0)
        error = await #expect(throws: ExpositionFileError.self) { try await registry.writeExposition(toFile: path) }
        #expect(error?.code == .system(EISDIR))
        #expect(directory.names == ["backup.prom"])
    }
}
