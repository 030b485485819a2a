// SPDX-License-Identifier: MIT

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why an exposition was not written to a file. The file is as it was before.
public struct ExpositionFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Hashable {
        /// Something was left out of the gather, or has a timestamp, which node_exporter refuses. Nothing was written.
        case invalidMetrics
        /// The system refused a step, with this `errno`.
        case system(Int32)
    }

    /// What kind of failure it is.
    public let code: Code
    /// The file.
    public let path: String
    /// The whole sentence: what failed, on which path, and why.
    public let description: String
}

extension MetricGatherer {
    /// Gathers, and replaces a file by the exposition in the text format: for the textfile collector of node_exporter,
    /// which reads the files `*.prom` of a directory.
    ///
    /// A reader sees the file before or after, never a part of it: a temporary file in the same directory, whose name does
    /// not end in `.prom`, is written, synchronised with the disk and renamed. Its mode is 0644, whatever the umask.
    /// The calls that block run on a thread of their own.
    /// - Parameter path: the file, such as `/var/lib/node_exporter/backup.prom`.
    /// - Throws: ``ExpositionFileError`` when a collector failed, a metric has a timestamp, or the file can't be written.
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
                description: "\(path) was not written: \(family.name) has a timestamp, which node_exporter refuses"
            )
        }
        let body = TextFormat.encode(gathering.families)
        let outcome = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(ExpositionFileError) in
                        try ExpositionFile(path: path).replace(by: body)
                    }
                )
            }
        }
        try outcome.get()
    }
}

/// A file that is replaced as a whole.
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

    func replace(by body: [UInt8]) throws(ExpositionFileError) {
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

    /// So that the new name survives a loss of power, too.
    private func synchronizeDirectory() throws(ExpositionFileError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        // Some file systems don't synchronise directories, and say so.
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
