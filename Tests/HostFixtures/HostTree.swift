// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A directory with a `/proc`, a `/sys` and a root directory of a machine that does not exist, made by code.
public struct HostTree: Sendable {
    /// The directory that holds `proc`, `sys` and `root`.
    public let path: String

    /// Creates an empty tree in a directory.
    public init(_ path: String) throws {
        self.path = path
        for name in ["proc", "sys", "root"] {
            try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
        }
    }

    /// What stands for `/proc`.
    public var proc: String { path + "/proc" }
    /// What stands for `/sys`.
    public var sys: String { path + "/sys" }
    /// What stands for `/`.
    public var root: String { path + "/root" }

    /// Writes a file, with the directories above it.
    public func write(_ text: String, _ name: String) throws {
        let file = path + "/" + name
        try directory(String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]))
        // Not by Foundation, which waits for the disk: a tree has thousands of files.
        guard let stream = fopen(file, "w") else { throw CocoaError(.fileWriteUnknown) }
        defer { fclose(stream) }
        let bytes = Array(text.utf8)
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Makes a directory, with those above it.
    public func directory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    /// Makes a symbolic link.
    public func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
    }

    /// Removes a file or directory.
    public func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    /// Writes several small files of one directory, each with a line feed at its end.
    public func attributes(_ directory: String, _ files: KeyValuePairs<String, String>) throws {
        for (name, value) in files { try write(value + "\n", directory + "/" + name) }
    }
}

/// Machines that trees are made of.
public enum HostFixture: String, CaseIterable, Sendable {
    /// 128 processors, many disks with LVM, LUKS and RAID, bonds, sensors whose names clash.
    case server
    /// The columns of a kernel of twenty years ago, and what it did not have yet.
    case old
    /// A file of each kind with lines that are not as documented.
    case damaged

    /// Writes the machine's tree into a directory.
    @discardableResult
    public func write(to path: String) throws -> HostTree {
        let tree = try HostTree(path)
        switch self {
        case .server: try tree.writeServer()
        case .old: try tree.writeOld()
        case .damaged: try tree.writeDamaged()
        }
        return tree
    }
}
