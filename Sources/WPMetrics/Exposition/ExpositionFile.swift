// SPDX-License-Identifier: MIT

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why an exposition was not written to a file. The file is unchanged.
public struct ExpositionFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Hashable {
        /// The exposition is incomplete, or contains a timestamp, which node_exporter rejects. Nothing was written.
        case invalidMetrics
        /// A system call failed with this `errno`.
        case system(Int32)
    }

    /// The kind of failure.
    public let code: Code
    /// The file.
    public let path: String
    /// What failed, on which path, and why.
    public let description: String
}

extension MetricGatherer {
    /// Gathers metrics, and replaces a file with their exposition in the text format, for node_exporter's textfile
    /// collector, which reads the `*.prom` files in a directory.
    ///
    /// Replaces the file atomically: writes a temporary file in the same directory, whose name does not end in `.prom`,
    /// synchronizes it and renames it. Its mode is 0644. Blocking calls run on a separate thread.
    /// - Parameter path: the file, such as `/var/lib/node_exporter/backup.prom`.
    /// - Throws: ``ExpositionFileError`` if a collector fails, a metric has a timestamp, or the file cannot be written.
    public func writeExposition(toFile path: String) async throws(ExpositionFileError) {
        let gathering = await gather()
        if let failure = gathering.failures.first {
            throw ExpositionFileError(
                code: .invalidMetrics,
                path: path,
                description: "\(path) was not written: \(failure)"
            )
        }
        if let family = gathering.families.first(where: { $0.metrics.contains { $0.timestamp != nil } }) {
            throw ExpositionFileError(
                code: .invalidMetrics,
                path: path,
                description: "\(path) was not written: \(family.name) has a timestamp, which node_exporter rejects"
            )
        }
        let body = TextFormat.encode(gathering.families)
        let outcome = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(ExpositionFileError) in
                        try ExpositionFile(path: path).replace(with: body)
                    }
                )
            }
        }
        try outcome.get()
    }
}

/// A file that is replaced atomically.
private struct ExpositionFile {
    private let path: String
    private let directory: String
    private let temporary: String

    init(path: String) {
        self.path = path
        let slash = path.lastIndex(of: "/")
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        let prefix = slash.map { path[...$0] } ?? ""
        directory = prefix.isEmpty ? "." : String(prefix)
        temporary = "\(prefix).\(name).\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
    }

    func replace(with body: [UInt8]) throws(ExpositionFileError) {
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw error("create a temporary file in \(directory)") }
        do throws(ExpositionFileError) {
            try fill(descriptor, with: body)
            guard rename(temporary, path) == 0 else { throw error("replace the file") }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        try synchronizeDirectory()
    }

    private func fill(_ descriptor: Int32, with body: [UInt8]) throws(ExpositionFileError) {
        defer { _ = close(descriptor) }
        guard fchmod(descriptor, 0o644) == 0 else { throw error("set the mode of \(temporary)") }
        var written = 0
        while written < body.count {
            let count = body.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            guard count > 0 || (count < 0 && errno == EINTR) else { throw error("write \(temporary)") }
            written += max(0, count)
        }
        guard fsync(descriptor) == 0 else { throw error("write \(temporary)") }
    }

    /// Makes the rename survive a power failure.
    private func synchronizeDirectory() throws(ExpositionFileError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        // Some file systems do not support synchronizing directories.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw error("synchronise \(directory)") }
    }

    private func error(_ step: String) -> ExpositionFileError {
        let code = errno
        return ExpositionFileError(
            code: .system(code),
            path: path,
            description: "\(path) was not written: could not \(step): \(String(cString: strerror(code)))"
        )
    }
}
