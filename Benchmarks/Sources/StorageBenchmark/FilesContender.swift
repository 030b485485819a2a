// SPDX-License-Identifier: MIT

import WPModel
import WPStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One text file a device, each written anew, synced and renamed into its place; the directory is synced once.
actor FilesContender: Contender {
    static let name = "a file a device"
    private let executor = OwnQueue()
    private let directory: String
    private let fileSystem = POSIXFileSystem()

    init(directory: String) throws {
        self.directory = directory
        try fileSystem.createDirectory(directory, permissions: 0o750)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func save(_ records: [EnergyRecord]) async throws {
        for record in records {
            let path = "\(directory)/\(record.key.device.rawValue).txt"
            let milliseconds = Int((record.lastSample?.wall.timeIntervalSince1970 ?? 0) * 1000)
            let bytes = Array("\(milliseconds)\n\(record.total.joules)\n".utf8)
            let file = try fileSystem.open(path + ".tmp", .create)
            let written = try bytes.withUnsafeBytes { try fileSystem.write(file, $0) }
            guard written == bytes.count else { throw Failure(description: "short write to \(path)") }
            try fileSystem.synchronize(file)
            try fileSystem.close(file)
            try fileSystem.rename(path + ".tmp", to: path)
        }
        let folder = try fileSystem.open(directory, .directory)
        try fileSystem.synchronize(folder)
        try fileSystem.close(folder)
    }

    func joules() async throws -> [String: Double] {
        var found: [String: Double] = [:]
        for name in try fileSystem.names(in: directory, limit: .max) {
            let data = try Data(contentsOf: URL(filePath: "\(directory)/\(name)"))
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
            found[String(name.dropLast(4))] = Double(lines[1])
        }
        return found
    }
}
