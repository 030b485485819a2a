// SPDX-License-Identifier: MIT

/// The result of statvfs(3).
package struct FilesystemSpace: Sendable, Hashable {
    /// The size of a block in bytes (`f_frsize`).
    package let blockSize: UInt64
    package let blocks, freeBlocks, availableBlocks: UInt64
    package let files, freeFiles: UInt64
}

/// One mounted file system.
public struct FilesystemSample: Sendable, Hashable {
    /// The source of the mount: a device, or a name such as `tmpfs`.
    package let device: String
    /// The mount point on the host.
    public let mountPoint: String
    /// Its type, such as `ext4`.
    package let type: String
    /// Whether it is mounted read-only.
    package let isReadOnly: Bool
    /// The numbers of its device, which identify it among the block devices.
    package let major, minor: UInt64
    /// Nil if statvfs(3) failed or did not return in time.
    package let space: FilesystemSpace?

    /// Its size in bytes; nil if statvfs(3) failed or timed out.
    public var size: UInt64? { bytes(\.blocks) }
    /// Free space for root in bytes; nil if statvfs(3) failed or timed out.
    package var free: UInt64? { bytes(\.freeBlocks) }
    /// Free space for all users in bytes; nil if statvfs(3) failed or timed out.
    public var available: UInt64? { bytes(\.availableBlocks) }
    /// Used space in bytes; nil if statvfs(3) failed or timed out, or on overflow.
    package var used: UInt64? {
        space.flatMap { product($0.blockSize, $0.blocks - min($0.freeBlocks, $0.blocks)) }
    }
    /// The usage in percent, as df(1) computes it: `used` divided by the sum of `used` and `available`.
    public var usedPercent: Double? {
        guard let used, let available, used > 0 || available > 0 else { return nil }
        return Double(used) / (Double(used) + Double(available)) * 100
    }

    private func bytes(_ blocks: KeyPath<FilesystemSpace, UInt64>) -> UInt64? {
        space.flatMap { product($0.blockSize, $0[keyPath: blocks]) }
    }
}

/// Reads the mount table, and calls statvfs(3) for each file system that is not excluded.
struct FilesystemCollector: HostCollector {
    static let name = "filesystem"

    private let mountPoints: NameFilter
    private let types: NameFilter

    init(_ configuration: HostConfiguration) {
        mountPoints = NameFilter(configuration.excludedMountPoints, included: configuration.includedMountPoints)
        types = NameFilter(configuration.excludedFilesystemTypes, included: configuration.includedFilesystemTypes)
    }

    mutating func collect(_ context: inout CollectionContext) -> [FilesystemSample]? {
        // Process 1 sees the host's mounts, even from inside a container.
        guard let mounts = mounts("1/mountinfo", &context) ?? mounts("self/mountinfo", &context) else { return nil }
        let root = context.root.root
        var seen: Set<[ExactText]> = []
        let wanted = mounts.compactMap { mount -> (mount: Mount, path: String, mountPoint: String)? in
            let mountPoint = Self.strip(root, from: mount.mountPoint)
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

    static func addFamilies(of filesystems: [FilesystemSample], to families: inout HostFamilies) {
        for filesystem in filesystems {
            func add(_ name: String, _ help: String, _ value: UInt64?) {
                let labels = [
                    "device", filesystem.device, "fstype", filesystem.type, "mountpoint", filesystem.mountPoint,
                ]
                families.add("filesystem_" + name, help, labels: labels, value)
            }
            add("size_bytes", "Size of a file system.", filesystem.size)
            add("free_bytes", "Space that is free for root.", filesystem.free)
            add("avail_bytes", "Space that is free for all users.", filesystem.available)
            add("files", "Files that a file system can have.", filesystem.space?.files)
            add("files_free", "Files that can still be created.", filesystem.space?.freeFiles)
            add("readonly", "Whether a file system is read-only.", filesystem.isReadOnly ? 1 : 0)
            let hasFailed = filesystem.space == nil
            add("device_error", "Whether reading the space of a file system failed.", hasFailed ? 1 : 0)
        }
    }

    private func mounts(_ file: String, _ context: inout CollectionContext) -> [Mount]? {
        var damaged: [String] = []
        // The mounts of another user's process may be unreadable; they are then treated as absent.
        let mounts = try? context.proc.read(file) { bytes -> [Mount] in
            var mounts: [Mount] = []
            for line in bytes.lines {
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

    /// Converts a mount point below the mounted root of the host to the mount point on the host.
    private static func strip(_ root: String, from mountPoint: String) -> String {
        guard root != "/", mountPoint.utf8.starts(with: root.utf8) else { return mountPoint }
        let rest = mountPoint.utf8.dropFirst(root.utf8.count)
        if rest.isEmpty { return "/" }
        return rest.first == UInt8(ascii: "/") ? String(rest) ?? mountPoint : mountPoint
    }
}

extension HostSample {
    /// Mounted file systems, in the order of the mount table.
    public var filesystems: [FilesystemSample]? { self[FilesystemCollector.self] }
}
