// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes whole lines to a descriptor. Its owner calls it from one thread at a time.
///
/// A pipe or terminal that nobody reads must not stop the program: the writer waits for it once, then loses lines
/// without a wait until there is room again.
struct LineWriter {
    typealias Failure = SystemCalls.Failure

    /// ``SystemCalls/write(_:_:)``, replaced by tests that need a full disk.
    typealias Call = @Sendable (Int32, UnsafeRawBufferPointer) throws(Failure) -> Int

    let descriptor: Int32
    /// Whether this is a file on a disk, which never makes a writer wait.
    let isRegular: Bool
    /// Whether writing may have to wait for a reader: not on a disk, and not on a device that is no terminal.
    private let mayWait: Bool
    /// Whether there is a reader that may go, as of a pipe or a socket.
    private let mayBreak: Bool
    private let call: Call
    private var isStalled = false
    private var endsWithinLine = false

    /// - Parameters:
    ///   - descriptor: stays the owner's to close.
    ///   - call: how to write.
    init(descriptor: Int32, call: @escaping Call = SystemCalls.write) {
        self.descriptor = descriptor
        self.call = call
        let status = try? SystemCalls.status(of: descriptor)
        let isDevice = status?.isDevice ?? false
        isRegular = status?.isRegular ?? false
        mayWait = !isRegular && !(isDevice && isatty(descriptor) == 0)
        mayBreak = !isRegular && !isDevice
        if mayBreak { BrokenPipe.prepare(descriptor) }
    }

    /// Writes a line.
    /// - Parameter repairs: whether to cut half a line off the end of a regular file again. Only right for a file
    ///   opened to append.
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
        // What poll(2) finds writable takes at least PIPE_BUF bytes without blocking (pipe(7)).
        let most = !mayWait ? Int.max : Int(PIPE_BUF)
        var refusals = 0
        while written < bytes.count {
            if mayWait, !isWritable() { throw Failure(errno: EAGAIN) }
            do throws(Failure) {
                let count = try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
                    let piece = UnsafeRawBufferPointer(
                        rebasing: UnsafeRawBufferPointer(buffer)[written...].prefix(most)
                    )
                    if !mayBreak { return try call(descriptor, piece) }
                    return try BrokenPipe.shield { () throws(Failure) in try call(descriptor, piece) }
                }
                guard count > 0 else { throw Failure(errno: EIO) }
                written += count
                refusals = 0
            } catch {
                // A descriptor that doesn't block may refuse what poll(2) promised: another writer was quicker.
                refusals += 1
                guard error.errno == EAGAIN, mayWait, refusals < 3 else { throw error }
            }
        }
    }

    private func isWritable() -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let ready = poll(&request, 1, isStalled ? 0 : 100)
            // A signal restarts the wait; it is short, and signals are rare.
            if ready < 0, errno == EINTR { continue }
            return ready != 0
        }
    }

    private func cut(_ length: Int) -> Bool {
        guard let status = try? SystemCalls.status(of: descriptor), status.st_size >= length else { return false }
        return ftruncate(descriptor, status.st_size - off_t(length)) == 0
    }
}
