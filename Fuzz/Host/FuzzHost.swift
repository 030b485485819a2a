// SPDX-License-Identifier: MIT

import WPCore
@testable import WPHost
@testable import WPMetrics
import WPModel

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

/// Bytes as files below /proc and /sys and as results of statfs, for every collector: any input must yield a valid
/// exposition and a snapshot that can be encoded.
///
/// An input consists of records separated by the byte 0x1E. The first line of a record is the path, such as
/// `proc/stat`; the rest is the file. The line after `statfs` contains the six numbers of a file system. The second
/// sample uses the records in reverse order, so that of two records with the same path, each is used once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHost(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let records = input.split(separator: 0x1E, maxSplits: 15).map { Record(Array($0)) }
    let tree = Tree()
    var configuration = HostConfiguration()
    configuration.procfs = tree.root + "/proc"
    configuration.sysfs = tree.root + "/sys"
    configuration.rootfs = tree.root
    configuration.callDeadline = .seconds(5)
    configuration.mountDeadline = .seconds(5)
    configuration.textFileDirectory = tree.root + "/texts"
    configuration.includesCommandLines = true
    let now = TimePoint(secondsSince1970: 1_750_000_000, monotonic: .seconds(1))
    var context = CollectionContext(configuration, now: now)
    // The kernel name, the addresses and the clock come from this machine, not from the input.
    let skipped = ["uname", "addresses", "timex"]
    var collectors = HostCollectors.all.filter { !skipped.contains($0.name) }.map { $0.init(configuration) }
    var samples: [HostSample] = []
    for records in [records, records.reversed()] {
        for record in records { tree.write(record) }
        var sample = HostSample()
        sample.time = context.now.secondsSince1970
        for group in HostSampleGroup.allCases { sample.times[group] = context.now }
        for index in collectors.indices { collectors[index].collect(into: &sample, &context) }
        for record in records { record.addFilesystem(to: &sample) }
        samples.append(sample)
        context.now.monotonic += .milliseconds(1)
    }
    let sample = samples[1]
    let snapshot = NodeSnapshot(sample, nodeName: "node", since: samples[0])
    do {
        // The encoder throws for numbers that are not finite.
        let json = try JSONEncoder().encode(snapshot)
        _ = try JSONDecoder().decode(NodeSnapshot.self, from: json)
    } catch {
        fatalError("\(error)")
    }
    // A registry omits what is invalid, such as the series of a repeated line, and reports it.
    var gathering = GatheringBuilder()
    for family in NodeMetricsCollector(sample: { sample }).collectNow() {
        gathering.add(family, from: NodeMetricsCollector.self, declared: [])
    }
    let text = ExpositionFormat.text.encode(gathering.build().families)
    do {
        _ = try ExpositionFormat.text.parse(text)
    } catch {
        fatalError("\(error)")
    }
    tree.remove()
    return 0
}

/// A file of the tree, or the result of statfs.
private struct Record {
    let path: String
    let content: [UInt8]

    init(_ bytes: [UInt8]) {
        let end = bytes.firstIndex(of: 10) ?? bytes.endIndex
        path = String(decoding: bytes[..<end], as: UTF8.self)
        content = Array(bytes[end...].dropFirst())
    }

    /// Whether the path is a file inside the tree.
    var isFile: Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return (2...10).contains(parts.count) && ["proc", "sys", "etc", "texts"].contains(parts[0])
            && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count < 64 && !$0.utf8.contains(0) }
    }

    func addFilesystem(to sample: inout HostSample) {
        guard path == "statfs" else { return }
        let numbers = content.split(separator: 32).map { UInt64(String(decoding: $0, as: UTF8.self)) ?? .max }
        guard numbers.count == 6 else { return }
        sample[FilesystemCollector.self] =
            (sample.filesystems ?? []) + [
                FilesystemSample(
                    device: "/dev/fuzz",
                    mountPoint: "/",
                    type: "fuse.fuzz",
                    isReadOnly: false,
                    major: 8,
                    minor: 0,
                    space: FilesystemSpace(
                        blockSize: numbers[0],
                        blocks: numbers[1],
                        freeBlocks: numbers[2],
                        availableBlocks: numbers[3],
                        files: numbers[4],
                        freeFiles: numbers[5]
                    )
                )
            ]
    }
}

/// A temporary directory, in memory if the system supports that.
private struct Tree {
    let root: String

    init() {
        root = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/wp-fuzz-host-\(getpid())"
        for name in ["", "/proc", "/sys", "/texts"] { mkdir(root + name, 0o700) }
    }

    func write(_ record: Record) {
        guard record.isFile else { return }
        var directory = root
        for part in record.path.split(separator: "/").dropLast() {
            directory += "/" + part
            mkdir(directory, 0o700)
        }
        let descriptor = open(root + "/" + record.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = record.content.withUnsafeBytes { systemWrite(descriptor, $0) }
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    bytes.baseAddress.map { write(descriptor, $0, bytes.count) } ?? 0
}
