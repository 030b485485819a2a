// SPDX-License-Identifier: MIT

import WPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// System calls, retried on EINTR.
enum SystemCalls {
    /// A system error number.
    struct Failure: Error, Hashable {
        var errno: Int32
    }

    /// open(2) with O_CLOEXEC.
    static func open(_ path: String, _ flags: Int32, permissions: mode_t = 0) throws(Failure) -> Int32 {
        try retrying { systemOpen(path, flags | O_CLOEXEC, permissions) }
    }

    /// write(2), which may write fewer bytes than given.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
        try retrying { systemWrite(descriptor, bytes) }
    }

    /// read(2); 0 is the end of the file.
    static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        try retrying { systemRead(descriptor, bytes) }
    }

    private static func retrying<Result: SignedInteger>(_ call: () -> Result) throws(Failure) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw Failure(errno: errno) }
        }
    }

    /// mkdir(2) for each missing directory of a path. Failures are ignored, because opening a file there then fails.
    static func createDirectories(_ path: String, permissions: mode_t) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            _ = mkdir(String(path[..<end]), permissions)
        }
    }

    /// fstat(2).
    static func status(of descriptor: Int32) throws(Failure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(errno: errno) }
        return status
    }
}

// Outside the type, because its methods shadow the system's functions.
private func systemOpen(_ path: String, _ flags: Int32, _ permissions: mode_t) -> Int32 {
    open(path, flags, permissions)
}
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, bytes.baseAddress, bytes.count)
}

/// Identifies a file independently of its name.
struct FileIdentity: Hashable {
    let device: dev_t
    let number: ino_t
}

extension stat {
    var identity: FileIdentity { FileIdentity(device: st_dev, number: st_ino) }

    /// Whether this is a regular file.
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

    /// Whether this is a character device, such as a terminal or `/dev/null`.
    var isDevice: Bool { st_mode & S_IFMT == S_IFCHR }

    /// When the contents last changed, in microseconds since the epoch, rounded down to the second.
    var lastChange: Int64 {
        #if canImport(Darwin)
        let seconds = Int64(st_mtimespec.tv_sec)
        #else
        let seconds = Int64(st_mtim.tv_sec)
        #endif
        // The timestamps of a file system may be out of range.
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return CivilTime.bounded(overflow ? (seconds < 0 ? .min : .max) : product)
    }
}
