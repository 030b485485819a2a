// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An empty directory that is removed together with this object.
package final class TemporaryDirectory: Sendable {
    /// The directory's absolute path.
    package let path: String

    /// Creates the directory.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "wpexporter-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something inside.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file inside and gives its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }

    /// The bytes of a file inside.
    package func bytes(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: file(name))))
    }

    /// The text of a file inside.
    package func text(of name: String) throws -> String {
        String(decoding: try bytes(of: name), as: UTF8.self)
    }

    /// The names of what is inside, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
