// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that another program wrote, with its content.
package struct TextFile: Sendable, Hashable {
    /// The maximum file size in bytes.
    package static let maximumSize = 4 << 20
    /// The maximum number of names read from a directory.
    static let maximumNames = 10_000

    package let path: String
    /// The modification time in whole seconds since 1970.
    package let modified: Double
    package let content: [UInt8]

    /// Reads a file; may block. A pipe or a device is rejected without blocking.
    static func read(_ path: String) -> BlockingCall.Outcome {
        let descriptor = KernelText.withPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return .failed(.system(errno)) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failed(.system(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .failed(.malformed) }
        do throws(HostFault.Reason) {
            let content = try FileReader.readToEnd(descriptor, atMost: maximumSize)
            #if canImport(Darwin)
            let modified = status.st_mtimespec
            #else
            let modified = status.st_mtim
            #endif
            return .text(TextFile(path: path, modified: Double(modified.tv_sec), content: content))
        } catch {
            return .failed(error)
        }
    }

    /// The sorted names in a directory.
    static func names(in path: String) -> BlockingCall.Outcome {
        do throws(HostFault) {
            return .names(try FileReader(root: path).names(in: "", atMost: maximumNames).sorted())
        } catch {
            return .failed(error.reason)
        }
    }
}
