// SPDX-License-Identifier: MIT

/// One line of `/proc/PID/mountinfo` (proc_pid_mountinfo(5)).
struct Mount: Sendable, Hashable {
    let major, minor: UInt64
    let mountPoint: String
    let filesystemType: String
    let device: String
    let isReadOnly: Bool

    /// The server of a network mount, such as `nfs4 files` for `files:/export`; nil for others. Mounts of one server
    /// hang together.
    var server: String? {
        guard !device.hasPrefix("/dev/") else { return nil }
        if device.hasPrefix("//") {
            return device.dropFirst(2).split(separator: "/").first.map { "\(filesystemType) \($0)" }
        }
        guard let end = device.firstRange(of: ":/")?.lowerBound, end != device.startIndex else { return nil }
        return "\(filesystemType) \(device[..<end])"
    }

    /// Reads a line; nil if it is malformed.
    init?(line: Bytes) {
        var fields = ByteScanner(line)
        // The numbers of the mount and its parent.
        guard fields.unsigned() != nil, fields.unsigned() != nil, let numbers = fields.field() else { return nil }
        var pair = ByteScanner(numbers)
        guard let major = pair.prefix(upTo: UInt8(ascii: ":"))?.unsigned, let minor = pair.rest.unsigned,
            fields.field() != nil, let mountPoint = fields.field(), let options = fields.field()
        else { return nil }
        // Any number of optional fields, up to a hyphen.
        while let field = fields.field(), !field.equals("-") {}
        guard let type = fields.field(), let device = fields.field() else { return nil }
        let superOptions = fields.field()
        self.major = major
        self.minor = minor
        self.mountPoint = Self.unescaped(mountPoint)
        filesystemType = Self.unescaped(type)
        self.device = Self.unescaped(device)
        isReadOnly = Self.isReadOnly(options) || (superOptions.map(Self.isReadOnly) ?? false)
    }

    private static func isReadOnly(_ options: Bytes) -> Bool {
        options.split(separator: UInt8(ascii: ",")).contains { Bytes(rebasing: $0).equals("ro") }
    }

    /// The text with escapes of three octal digits, such as `\040` for a space, replaced.
    static func unescaped(_ bytes: Bytes) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return bytes.string }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 3 < bytes.count,
                bytes[(index + 1)...(index + 3)].allSatisfy({ (48...55).contains($0) }), bytes[index + 1] < 52
            {
                result.append((bytes[index + 1] - 48) << 6 | (bytes[index + 2] - 48) << 3 | (bytes[index + 3] - 48))
                index += 4
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result.scanned { $0.string }
    }
}
