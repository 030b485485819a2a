// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads files below one directory.
package struct FileReader: Sendable {
    /// Far more than the size of `/proc/stat` or `/proc/cpuinfo` on a machine with a thousand processors.
    private static let maximumSize = 16 << 20
    private static let chunkSize = 16 << 10

    /// The directory's path, without a trailing slash unless it is the root.
    package let root: String
    /// The directory below the root where a file is looked up first; nil for none.
    private let preferred: String?

    package init(root: String, preferring preferred: String? = nil) {
        self.preferred = preferred
        var root = root
        while root.utf8.count > 1, root.hasSuffix("/") { root.removeLast() }
        self.root = root
    }

    /// The absolute path of a file below the directory.
    func path(_ name: String) -> String {
        if name.isEmpty { return root }
        return root == "/" ? "/" + name : root + "/" + name
    }

    /// Reads a file and passes its bytes to a function.
    /// - Throws: ``HostFault`` when the file cannot be read.
    func read<Outcome>(_ name: String, _ body: (Bytes) -> Outcome) throws(HostFault) -> Outcome {
        // lint: the preferred file may be absent or unreadable
        if let preferred, let outcome = try? FileReader(root: path(preferred)).read(name, body) { return outcome }
        let path = path(name)
        let descriptor = KernelText.withPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw HostFault(.system(errno), path) }
        defer { _ = close(descriptor) }
        let content: [UInt8]
        do throws(HostFault.Reason) {
            content = try Self.readToEnd(descriptor, atMost: Self.maximumSize)
        } catch {
            throw HostFault(error, path)
        }
        return content.scanned(body)
    }

    /// Reads an open file to its end, which may be beyond the size that the kernel reports: 0 in procfs.
    /// - Parameter limit: the maximum size in bytes.
    static func readToEnd(_ descriptor: Int32, atMost limit: Int) throws(HostFault.Reason) -> [UInt8] {
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        while true {
            let count = systemRead(descriptor, &chunk, chunk.count)
            if count == 0 { return content }
            if count > 0 {
                content += chunk.prefix(count)
                if content.count > limit { throw .tooLong }
            } else if errno != EINTR {
                throw .system(errno)
            }
        }
    }

    /// Whether a file can be read.
    // lint: tests whether a file can be read
    func canRead(_ name: String) -> Bool { (try? read(name) { _ in true }) ?? false }

    /// Whether the directory itself can be listed.
    // lint: tests whether a directory can be read
    var canList: Bool { (try? names(in: "")) != nil }

    /// The names in a directory, without `.` and `..`, unsorted.
    /// - Parameter limit: the maximum number of names; others are omitted.
    /// - Throws: ``HostFault`` when it cannot be listed.
    func names(in name: String, atMost limit: Int = .max) throws(HostFault) -> [String] {
        let descriptor = KernelText.withPath(path(name)) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw HostFault(.system(errno), path(name)) }
        guard let stream = fdopendir(descriptor) else {
            defer { _ = close(descriptor) }
            throw HostFault(.system(errno), path(name))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { KernelText.string($0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// read(2) under another name, because the types here also have a `read`.
func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
