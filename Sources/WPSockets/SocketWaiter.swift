// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Blocks one thread until a socket is ready, a deadline passes, or another thread wakes it.
///
/// Wakes through a pipe, not through the socket: this works without a socket, and cannot affect another socket that
/// reuses the descriptor.
package final class SocketWaiter: Sendable {
    /// The reason why a wait ended.
    package enum Outcome {
        /// The socket is ready, possibly with an error.
        case ready
        /// Another thread called ``SocketWaiter/wake()``, perhaps before the wait began.
        case woken
        /// The deadline has passed.
        case elapsed
    }

    private let readEnd: Int32
    private let writeEnd: Int32

    /// Creates a waiter.
    /// - Throws: ``SocketFault`` if the process has no free descriptors.
    package init() throws(SocketFault) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw SocketFault(.connect, "no pipe could be created (\(systemReason()))")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the current wait, or the next one if none is in progress.
    package func wake() {
        var byte: UInt8 = 1
        // Writing to a full pipe fails, but a full pipe also wakes the waiter. The read end outlives this call, so
        // there is no SIGPIPE.
        _ = write(writeEnd, &byte, 1)
    }

    /// Waits.
    /// - Parameters:
    ///   - descriptor: the socket; nil to wait only for a wake-up.
    ///   - events: `POLLIN`, `POLLOUT` or both.
    package func wait(for descriptor: Int32?, _ events: Int32, until deadline: Deadline) -> Outcome {
        while true {
            // poll skips a negative descriptor.
            var entries = [
                pollfd(fd: descriptor ?? -1, events: Int16(truncatingIfNeeded: events), revents: 0),
                pollfd(fd: readEnd, events: Int16(truncatingIfNeeded: POLLIN), revents: 0),
            ]
            let count = poll(&entries, 2, deadline.milliseconds)
            if count > 0 {
                guard entries[1].revents == 0 else {
                    drain()
                    return .woken
                }
                return .ready
            }
            if deadline.hasPassed { return .elapsed }
        }
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(readEnd, &bytes, bytes.count) > 0 {}
    }
}

/// The system's message for an error number; by default, for the last failed system call on this thread.
package func systemReason(_ code: Int32 = errno) -> String {
    String(cString: strerror(code))
}
