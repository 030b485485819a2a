// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads files below one directory into a reusable buffer. The directory stays open, which avoids resolving its path
/// for each read. Not thread-safe.
///
/// Kernel files report a size of 0, so they are read until the end.
package final class FileReader {
    /// Far more than the size of `/proc/stat` or `/proc/cpuinfo` on a machine with a thousand processors.
    private static let maximumSize = 16 << 20
    private static let initialSize = 16 << 10

    /// The directory's path, without a trailing slash unless it is the root.
    package let root: String
    private var directory: Int32 = -1
    private var buffer: UnsafeMutableBufferPointer<UInt8>

    package init(root: String) {
        var root = root
        while root.utf8.count > 1, root.hasSuffix("/") { root.removeLast() }
        self.root = root
        buffer = .allocate(capacity: Self.initialSize)
    }

    deinit {
        buffer.deallocate()
        if directory >= 0 { _ = close(directory) }
    }

    /// The absolute path of a file below the directory.
    func path(_ name: String) -> String {
        if name.isEmpty { return root }
        return root == "/" ? "/" + name : root + "/" + name
    }

    /// Reads a file and passes its bytes to a function.
    /// - Throws: ``HostFault`` when the file cannot be read.
    func read<Outcome>(_ name: String, _ body: (Bytes) -> Outcome) throws(HostFault) -> Outcome {
        let outcome = name.withCString { read($0) }
        switch outcome {
        case .success(let count): return body(Bytes(rebasing: UnsafeBufferPointer(buffer)[..<count]))
        case .failure(let reason): throw HostFault(reason.reason, path(name))
        }
    }

    /// Reads a file with a single record, such as `/proc/PID/stat`, whose name is a C string; nil if it cannot be read.
    /// Meant for thousands of files: the kernel returns a record with one call, so the end is not checked.
    func read<Outcome>(recordAt name: UnsafePointer<CChar>, _ body: (Bytes) -> Outcome?) -> Outcome? {
        guard case .success(let count) = read(name, isRecord: true) else { return nil }
        return body(Bytes(rebasing: UnsafeBufferPointer(buffer)[..<count]))
    }

    /// Whether a file can be read.
    // lint: tests whether a file can be read
    func canRead(_ name: String) -> Bool { (try? read(name) { _ in true }) ?? false }

    /// Whether the directory itself can be listed.
    // lint: tests whether a directory can be read
    var canList: Bool { (try? forEachName(in: "") { _ in }) != nil }

    /// The names in a directory, without `.` and `..`, unsorted.
    /// - Throws: ``HostFault`` when it cannot be listed.
    func names(in name: String) throws(HostFault) -> [String] {
        var names: [String] = []
        try forEachName(in: name) { names.append(KernelText.string($0)) }
        return names
    }

    /// Passes each name in a directory to a function, without `.` and `..`.
    /// - Throws: ``HostFault`` when it cannot be listed.
    func forEachName(in name: String, _ body: (UnsafePointer<CChar>) -> Void) throws(HostFault) {
        let descriptor = KernelText.withPath(path(name)) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw HostFault(.system(errno), path(name)) }
        guard let stream = fdopendir(descriptor) else {
            defer { _ = close(descriptor) }
            throw HostFault(.system(errno), path(name))
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    let isDot = name[0] == 46 && (name[1] == 0 || (name[1] == 46 && name[2] == 0))
                    if !isDot { body(name) }
                }
            }
        }
    }

    private struct Failure: Error {
        let reason: HostFault.Reason
    }

    private func read(_ name: UnsafePointer<CChar>, isRecord: Bool = false) -> Result<Int, Failure> {
        if directory < 0 { directory = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard directory >= 0 else { return .failure(Failure(reason: .system(errno))) }
        let descriptor = openat(directory, name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(Failure(reason: .system(errno))) }
        defer { _ = close(descriptor) }
        var count = 0
        while true {
            if count == buffer.count, !grow() { return .failure(Failure(reason: .tooLong)) }
            guard let base = buffer.baseAddress else { return .failure(Failure(reason: .tooLong)) }
            let received = systemRead(descriptor, base + count, buffer.count - count)
            if received == 0 { return .success(count) }
            if received > 0 {
                count += received
                if isRecord, count < buffer.count { return .success(count) }
            } else if errno != EINTR {
                return .failure(Failure(reason: .system(errno)))
            }
        }
    }

    private func grow() -> Bool {
        guard buffer.count < Self.maximumSize else { return false }
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: buffer.count * 4)
        _ = larger.update(fromContentsOf: UnsafeBufferPointer(buffer))
        buffer.deallocate()
        buffer = larger
        return true
    }
}

/// read(2) under another name, because the types here have a `read`, too.
func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
