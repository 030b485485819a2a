// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCollector
import WPCore
import WPEnergy
import WPLogging
import WPMetrics
import WPModel
import WPStorage
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The exporter's components on a disk that fills up and then has free space again.
@Suite struct FullDiskTests {
    /// The real file system, on which writes fail while it is full.
    private final class FillableFileSystem: FileSystem {
        private let base = POSIXFileSystem()
        private let isFull = Mutex(false)

        func set(full: Bool) { isFull.withLock { $0 = full } }

        func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) throws(FileSystemError) -> Int {
            if isFull.withLock({ $0 }) { throw FileSystemError(call: "write", path: file.path, number: ENOSPC) }
            return try base.write(file, bytes)
        }
        func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> OpenFile { try base.open(path, mode) }
        func close(_ file: OpenFile) throws(FileSystemError) { try base.close(file) }
        func status(of file: OpenFile) throws(FileSystemError) -> FileStatus { try base.status(of: file) }
        func status(at path: String) throws(FileSystemError) -> FileStatus { try base.status(at: path) }
        func rewind(_ file: OpenFile) throws(FileSystemError) { try base.rewind(file) }
        func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
            try base.read(file, into: buffer)
        }
        func truncate(_ file: OpenFile) throws(FileSystemError) { try base.truncate(file) }
        func link(_ path: String, to newPath: String) throws(FileSystemError) { try base.link(path, to: newPath) }
        func setOwner(_ file: OpenFile, _ owner: FileOwner) throws(FileSystemError) { try base.setOwner(file, owner) }
        var effectiveUser: UInt32 { base.effectiveUser }
        func setPermissions(_ file: OpenFile, _ permissions: UInt16) throws(FileSystemError) {
            try base.setPermissions(file, permissions)
        }
        func synchronize(_ file: OpenFile) throws(FileSystemError) { try base.synchronize(file) }
        func synchronizeContent(_ file: OpenFile) throws(FileSystemError) { try base.synchronizeContent(file) }
        func lock(_ file: OpenFile) throws(FileSystemError) -> Bool { try base.lock(file) }
        func unlock(_ file: OpenFile) throws(FileSystemError) { try base.unlock(file) }
        func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
        func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
        func createDirectory(_ path: String, permissions: UInt16) throws(FileSystemError) {
            try base.createDirectory(path, permissions: permissions)
        }
        func names(in path: String, limit: Int) throws(FileSystemError) -> [String] {
            try base.names(in: path, limit: limit)
        }
    }

    @Test func continuesCollectingAndSavesOnceThereIsSpace() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let log = CapturingLogHandler()
        let registry = Registry()
        let source = FakeDeviceSource()
        let fileSystem = FillableFileSystem()
        let configuration = FileEnergyStore.Configuration(directory: directory.path)
        let store = try await FileEnergyStore.open(configuration, fileSystem: fileSystem, logger: log.logger)
        let meter = try await TrapezoidEnergyMeter(store: store, logger: log.logger)
        let collector = Collector(
            source: source,
            meter: meter,
            timeSource: clock.timeSource,
            instruments: try CollectionInstruments(registry: registry, timeSource: clock.timeSource),
            logger: log.logger
        )

        func errors() async -> MetricValue? {
            let families = await registry.gather().families
            let family = families.first { $0.name == "winpower_exporter_scrape_errors_total" }
            return family?.metrics.first { $0.labels["reason"] == "storage" }?.value
        }
        func joulesOnDisk() async throws -> Double? {
            try await FileEnergyStore.peek(configuration, logger: .silent).first?.total.joules
        }
        func collect(_ cycles: Int) async -> Set<Collector.Outcome> {
            var outcomes: Set<Collector.Outcome> = []
            for _ in 0..<cycles {
                clock.advance(by: .seconds(5))
                source.answer([.sample(watts: 100, time: clock.timeSource.now)])
                outcomes.insert(await collector.collect())
            }
            return outcomes
        }
        let device = DeviceID("ups-1")

        #expect(await collect(5) == [.success])
        #expect(try await joulesOnDisk() == 2000)

        fileSystem.set(full: true)
        #expect(await collect(100) == [.failure(.storage)])
        // Unsaved energy is not published.
        #expect(collector.snapshot.totals[device]?.joules == 2000)
        #expect(collector.snapshot.readings.count == 1)
        #expect(collector.snapshot.lastSuccess == clock.timeSource.now)
        #expect(try await joulesOnDisk() == 2000)
        #expect(await errors() == .value(100))
        #expect(
            log.messages(.error) == [
                "Energy totals could not be saved; they are kept in memory and saved as soon as that is possible",
                "Collection failed",
            ]
        )
        let reports = log.records.filter { $0.level >= .warn }.compactMap { $0.fields["code"] }
        #expect(reports == ["full"])

        fileSystem.set(full: false)
        #expect(await collect(1) == [.success])
        #expect(try await joulesOnDisk() == 52_500)
        #expect(collector.snapshot.totals[device]?.joules == 52_500)
        #expect(await errors() == .value(100))
        #expect(log.messages(.info).contains("Energy totals are saved again"))
        await store.close()
        #expect(directory.names == ["energy.a.jsonl", "energy.b.jsonl", "energy.lock"])
    }
}
