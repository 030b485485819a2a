// SPDX-License-Identifier: MIT

/// What statvfs(3) says of a file system.
package struct FilesystemSpace: Sendable, Hashable {
    /// The unit of all blocks in bytes (`f_frsize`).
    package let blockSize: UInt64
    package let blocks, freeBlocks, availableBlocks: UInt64
    package let files, freeFiles: UInt64
}

/// One mounted file system.
public struct FilesystemSample: Sendable, Hashable {
    /// The source of the mount: a device, or what stands for one.
    package let device: String
    /// Where it is mounted, as the host sees it.
    public let mountPoint: String
    /// Its type, such as `ext4`.
    package let type: String
    /// Whether nothing can be written to it.
    package let isReadOnly: Bool
    /// The numbers of its device, by which it is found among the block devices.
    package let major, minor: UInt64
    /// Nil when it could not be asked, or did not answer.
    package let space: FilesystemSpace?

    /// Its size in bytes; nil when it did not answer.
    public var size: UInt64? { bytes(\.blocks) }
    /// What is free for root in bytes; nil when it did not answer.
    package var free: UInt64? { bytes(\.freeBlocks) }
    /// What is free for all users in bytes; nil when it did not answer.
    public var available: UInt64? { bytes(\.availableBlocks) }
    /// What is taken in bytes; nil when it did not answer, or beyond 64 bits.
    package var used: UInt64? {
        space.flatMap { product($0.blockSize, $0.blocks - min($0.freeBlocks, $0.blocks)) }
    }
    /// How full it is for users, in percent, as df(1) has it: `used` of `used` and `available`.
    public var usedPercent: Double? {
        guard let used, let available, used > 0 || available > 0 else { return nil }
        return Double(used) / (Double(used) + Double(available)) * 100
    }

    private func bytes(_ blocks: KeyPath<FilesystemSpace, UInt64>) -> UInt64? {
        space.flatMap { product($0.blockSize, $0[keyPath: blocks]) }
    }
}

/// Reads the mount table, and asks each file system that is not excluded for its space.
struct FilesystemCollector: HostCollector {
    static let name = HostCollectorName.filesystem
    static let part: HostPart<[FilesystemSample]> = \.filesystems

    private var mountPoints: NameFilter
    private var types: NameFilter

    init(mountPoints: NameFilter, types: NameFilter) {
        self.mountPoints = mountPoints
        self.types = types
    }

    init(excludedMountPoints: NamePattern, excludedTypes: NamePattern) {
        self.init(mountPoints: NameFilter(excludedMountPoints), types: NameFilter(excludedTypes))
    }

    mutating func collect(_ context: inout CollectionContext) -> [FilesystemSample]? {
        // Process 1 sees what the host has mounted, even from inside a container.
        guard let mounts = mounts("1/mountinfo", &context) ?? mounts("self/mountinfo", &context) else { return nil }
        let root = context.root.root
        var seen: Set<[ExactText]> = []
        let wanted = mounts.compactMap { mount -> (mount: Mount, path: String, mountPoint: String)? in
            let mountPoint = Self.strip(mount.mountPoint, root)
            guard !mountPoints.matches(mountPoint), !types.matches(mount.filesystemType),
                seen.insert([mount.device, mountPoint, mount.filesystemType].map(ExactText.init)).inserted
            else { return nil }
            return (mount, root == "/" ? mountPoint : root + mountPoint, mountPoint)
        }
        let outcomes = context.mounts.perform(wanted.map { .space($0.path, server: $0.mount.server) })
        return zip(wanted, outcomes).map { entry, outcome in
            var space: FilesystemSpace?
            switch outcome {
            case .space(let answer): space = answer
            case .bytes, .text, .names: break
            case .failed(let reason): context.visibleFaults.append(HostFault(reason, entry.path))
            }
            return FilesystemSample(
                device: entry.mount.device,
                mountPoint: entry.mountPoint,
                type: entry.mount.filesystemType,
                isReadOnly: entry.mount.isReadOnly,
                major: entry.mount.major,
                minor: entry.mount.minor,
                space: space
            )
        }
    }

    private func mounts(_ file: String, _ context: inout CollectionContext) -> [Mount]? {
        var damaged: [String] = []
        // A process of another user may keep its mounts to itself: then it is as if it were absent.
        let mounts = try? context.proc.read(file) { bytes -> [Mount] in
            var mounts: [Mount] = []
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                if let mount = Mount(line: line) {
                    mounts.append(mount)
                } else {
                    damaged.append(line.string)
                }
            }
            return mounts
        }
        for line in damaged { context.malformed(context.proc, file, line) }
        return mounts
    }

    /// A mount point as the host sees it, when this program sees it below where the host's root is mounted.
    private static func strip(_ mountPoint: String, _ root: String) -> String {
        guard root != "/", mountPoint.utf8.starts(with: root.utf8) else { return mountPoint }
        let rest = mountPoint.utf8.dropFirst(root.utf8.count)
        if rest.isEmpty { return "/" }
        return rest.first == UInt8(ascii: "/") ? String(rest) ?? mountPoint : mountPoint
    }
}
