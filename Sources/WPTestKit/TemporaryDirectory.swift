// SPDX-License-Identifier: MIT

import Synchronization

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

/// An empty directory that is removed when this object is deinitialized, or at the latest when the process exits.
package final class TemporaryDirectory: Sendable {
    /// The directory's absolute path.
    package let path: String

    /// Creates the directory.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "wpexporter-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        _ = Self.removal
        Self.existing.withLock { _ = $0.insert(path) }
    }

    deinit {
        Self.existing.withLock { _ = $0.remove(path) }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The existing directories: those held by static properties are never deinitialized.
    private static let existing = Mutex<Set<String>>([])

    private static let removal: Void = {
        atexit {
            for path in TemporaryDirectory.existing.withLock({ $0 }) {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }()

    /// The path of an entry.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }

    /// The bytes of a file.
    package func bytes(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: file(name))))
    }

    /// The text of a file.
    package func text(of name: String) throws -> String {
        String(decoding: try bytes(of: name), as: UTF8.self)
    }

    /// The names of the entries, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
