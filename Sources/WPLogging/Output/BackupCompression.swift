// SPDX-License-Identifier: MIT

import WPGzip

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces a backup with its compressed version.
enum BackupCompression {
    /// Compresses `path` to `path.gz` and deletes `path`. Blocks; uses constant memory. If the program is killed, at
    /// least one of the two files is complete.
    static func run(_ path: String) throws(LogSinkError) {
        let partial = path + ".gz.part"
        do throws(LogSinkError) {
            try copy(path, to: partial)
            guard rename(partial, path + ".gz") == 0 else {
                throw LogSinkError(code: .compress, output: path, errno: errno)
            }
        } catch {
            unlink(partial)
            throw error
        }
        unlink(path)
    }

    private static func copy(_ path: String, to target: String) throws(LogSinkError) {
        do {
            let source = try SystemCalls.open(path, O_RDONLY)
            defer { close(source) }
            let permissions = try SystemCalls.status(of: source).st_mode & 0o777
            // Overwrites a file left by a killed process.
            let output = try SystemCalls.open(
                target,
                O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
                permissions: permissions
            )
            defer { close(output) }

            let compressor = try Compressor()
            var packed: [UInt8] = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                let count = try SystemCalls.read(source, buffer)
                if count == 0 { break }
                try compressor.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: &packed)
                try write(packed, to: output)
                packed.removeAll(keepingCapacity: true)
            }
            try compressor.finish(to: &packed)
            try write(packed, to: output)
            guard fsync(output) == 0 else { throw SystemCalls.Failure(errno: errno) }
        } catch let failure as SystemCalls.Failure {
            throw LogSinkError(code: .compress, output: path, errno: failure.errno)
        } catch {
            throw LogSinkError(code: .compress, output: path, reason: "\(error)")
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemCalls.Failure) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(SystemCalls.Failure) in
            var rest = UnsafeRawBufferPointer(buffer)
            while !rest.isEmpty {
                let count = try SystemCalls.write(descriptor, rest)
                guard count > 0 else { throw SystemCalls.Failure(errno: EIO) }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}
