// SPDX-License-Identifier: MIT

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

/// One text file per device, each replaced by a new one that is synced and renamed; the directory is synced once.
actor FilesContender: Contender {
    static let name = "a file a device"
    private let executor = OwnQueue()
    private let directory: String

    init(directory: String) throws {
        self.directory = directory
        try Self.check(mkdir(directory, 0o750), "mkdir")
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func save(_ records: [EnergyRecord]) async throws {
        for record in records {
            let path = "\(directory)/\(record.key.device.rawValue).txt"
            let milliseconds = Int((record.lastSample?.wall.timeIntervalSince1970 ?? 0) * 1000)
            let bytes = Array("\(milliseconds)\n\(record.total.joules)\n".utf8)
            let file = open(path + ".tmp", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            try Self.check(file, "open")
            guard write(file, bytes, bytes.count) == bytes.count else {
                throw Failure(description: "short write to \(path)")
            }
            try Self.check(fsync(file), "fsync")
            try Self.check(close(file), "close")
            try Self.check(rename(path + ".tmp", path), "rename")
        }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try Self.check(folder, "open")
        try Self.check(fsync(folder), "fsync")
        try Self.check(close(folder), "close")
    }

    private static func check(_ result: Int32, _ call: String) throws {
        guard result < 0 else { return }
        throw Failure(description: "\(call): \(String(cString: strerror(errno)))")
    }

    func joules() async throws -> [String: Double] {
        var found: [String: Double] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            let data = try Data(contentsOf: URL(filePath: "\(directory)/\(name)"))
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
            found[String(name.dropLast(4))] = Double(lines[1])
        }
        return found
    }
}
