// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes whole lines to a descriptor. Not thread-safe.
///
/// A stalled pipe or terminal must not stop the program: the writer waits once, then drops lines until there is room
/// again.
struct LineWriter {
    typealias Failure = SystemCalls.Failure

    /// ``SystemCalls/write(_:_:)``, replaceable in tests.
    typealias Call = @Sendable (Int32, UnsafeRawBufferPointer) throws(Failure) -> Int

    let descriptor: Int32
    /// Whether this is a regular file, which never blocks a writer.
    let isRegular: Bool
    /// Whether a write may block: true except for a regular file, or a device other than a terminal.
    private let mayWait: Bool
    /// Whether a reader can close the other end, as with a pipe or a socket.
    private let mayBreak: Bool
    private let call: Call
    private var isStalled = false
    private var endsWithinLine = false

    /// - Parameters:
    ///   - descriptor: the descriptor; the owner closes it.
    ///   - call: the write function.
    init(descriptor: Int32, call: @escaping Call = SystemCalls.write) {
        self.descriptor = descriptor
        self.call = call
        // lint: a descriptor without a status is not a regular file
        let status = try? SystemCalls.status(of: descriptor)
        let isDevice = status?.isDevice ?? false
        isRegular = status?.isRegular ?? false
        mayWait = !isRegular && !(isDevice && isatty(descriptor) == 0)
        mayBreak = !isRegular && !isDevice
        if mayBreak { BrokenPipe.prepare(descriptor) }
    }

    /// Writes a line.
    /// - Parameter repairs: whether to remove a partial line from the end of a regular file. Only valid for a file
    ///   opened for appending.
    mutating func write(_ line: [UInt8], repairs: Bool) throws(Failure) {
        var written = 0
        do {
            if endsWithinLine {
                var ignored = 0
                try put([UInt8(ascii: "\n")], written: &ignored)
                endsWithinLine = false
            }
            try put(line, written: &written)
            isStalled = false
        } catch {
            isStalled = error.errno == EAGAIN
            if written > 0 { endsWithinLine = !(repairs && isRegular && cut(written)) }
            throw error
        }
    }

    private func put(_ bytes: [UInt8], written: inout Int) throws(Failure) {
        // A pipe that poll(2) reports as writable accepts at least PIPE_BUF bytes without blocking (pipe(7)).
        let limit = !mayWait ? Int.max : Int(PIPE_BUF)
        var failures = 0
        while written < bytes.count {
            if mayWait, !isWritable() { throw Failure(errno: EAGAIN) }
            do throws(Failure) {
                let count = try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
                    let piece = UnsafeRawBufferPointer(
                        rebasing: UnsafeRawBufferPointer(buffer)[written...].prefix(limit)
                    )
                    if !mayBreak { return try call(descriptor, piece) }
                    return try BrokenPipe.shield { () throws(Failure) in try call(descriptor, piece) }
                }
                guard count > 0 else { throw Failure(errno: EIO) }
                written += count
                failures = 0
            } catch {
                // A non-blocking write may fail after poll(2) succeeds: another writer was faster.
                failures += 1
                guard error.errno == EAGAIN, mayWait, failures < 3 else { throw error }
            }
        }
    }

    private func isWritable() -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let ready = poll(&request, 1, isStalled ? 0 : 100)
            // A signal restarts the wait, which is short.
            if ready < 0, errno == EINTR { continue }
            return ready != 0
        }
    }

    private func cut(_ length: Int) -> Bool {
        // lint: a descriptor without a status is not a regular file
        guard let status = try? SystemCalls.status(of: descriptor), status.st_size >= length else { return false }
        return ftruncate(descriptor, status.st_size - off_t(length)) == 0
    }
}
